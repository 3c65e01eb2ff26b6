import type { MessagePort } from '../workers/message-port.ts';

/**
 * A port whose other end may still use slots after the connection is lost: only {@link end} closes it, once the other end has declared them
 * over another connection, or is dead.
 */
export class LingeringPort<In, Out> implements MessagePort<In, Out> {
  readonly #port: MessagePort<In, Out>;
  readonly #onBatch: (batch: In) => void;
  #onClosed: (() => void) | undefined;
  #onLost: (() => void) | undefined;
  #hasEnded = false;
  /** Whether the connection stands. */
  isOpen = true;

  /** @param onBatch called after each message was handled */
  constructor(port: MessagePort<In, Out>, onBatch: (batch: In) => void) {
    this.#port = port;
    this.#onBatch = onBatch;
    port.onClose(() => {
      this.isOpen = false;
      this.#onLost?.();
    });
  }

  post(message: Out): void {
    this.#port.post(message);
  }

  onMessage(handler: (message: In) => void): void {
    this.#port.onMessage((message) => {
      handler(message);
      this.#onBatch(message);
    });
  }

  onClose(handler: () => void): void {
    this.#onClosed = handler;
  }

  onLost(handler: () => void): void {
    this.#onLost = handler;
  }

  close(): void {
    this.#port.close();
  }

  /** Closes the port. Idempotent. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#port.close();
    this.#onClosed?.();
  }
}
