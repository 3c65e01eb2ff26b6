/** Runs a callback after what the event loop is at: after every read that is at hand. */
export type Defer = (callback: () => void) => void;

/**
 * Messages that leave together: one write, and one wake-up of the other process, for all of one turn of the event loop.
 */
export class Outbox<Message> {
  readonly #post: (batch: readonly Message[]) => void;
  readonly #defer: Defer;
  #batch: Message[] = [];

  constructor(post: (batch: readonly Message[]) => void, defer: Defer = setImmediate) {
    this.#post = post;
    this.#defer = defer;
  }

  push(message: Message): void {
    this.#batch.push(message);
    if (this.#batch.length === 1) this.#defer(() => this.flush());
  }

  /** Sends what there is now. */
  flush(): void {
    if (this.#batch.length === 0) return;
    const batch = this.#batch;
    this.#batch = [];
    this.#post(batch);
  }
}
