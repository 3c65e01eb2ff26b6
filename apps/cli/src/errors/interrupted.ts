/** Ended by a signal or by leaving a question. Nothing is printed for it; `exitCode` is 128 + the signal's number. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly exitCode: number;

  /** 130 is SIGINT, 143 SIGTERM. */
  constructor(exitCode = 130) {
    super('interrupted');
    this.exitCode = exitCode;
  }
}
