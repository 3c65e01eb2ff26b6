/** Schedules a callback after the pending reads of the event loop. */
export type Defer = (callback: () => void) => void;

/**
 * A buffer of messages that sends all messages of one turn of the event loop in one write, which wakes the other process once.
 */
export class Outbox<Message> {
  readonly #post: (batch: readonly Message[]) => void;
  readonly #defer: Defer;
  #batch: Message[] = [];

  constructor(post: (batch: readonly Message[]) => void, defer: Defer = setImmediate) {
    this.#post = post;
    this.#defer = defer;
  }

  /** Adds a message to the next batch. */
  push(message: Message): void {
    this.#batch.push(message);
    if (this.#batch.length === 1) this.#defer(() => this.flush());
  }

  /** Sends the buffered messages now. */
  flush(): void {
    if (this.#batch.length === 0) return;
    const batch = this.#batch;
    this.#batch = [];
    this.#post(batch);
  }
}
