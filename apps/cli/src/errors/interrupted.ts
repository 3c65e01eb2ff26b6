/** Thrown when a signal or a canceled question ends a command. Nothing is printed; `exitCode` is 128 + the signal's number. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly exitCode: number;

  /** 130 is SIGINT, 143 SIGTERM. */
  constructor(exitCode = 130) {
    super('interrupted');
    this.exitCode = exitCode;
  }
}
