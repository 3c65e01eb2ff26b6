import type { UpstreamHandler, UpstreamRequest, UpstreamStream } from '../upstream.ts';
import type { Http1Connection } from './http1-connection.ts';

/**
 * One exchange over a connection. The connection may go on to another exchange: this one then does nothing to it. What is written
 * before it has begun is kept.
 */
export class Http1Stream implements UpstreamStream {
  readonly #handler: UpstreamHandler;
  #connection: Http1Connection | null = null;
  #early: Buffer[] = [];
  #earlyTrailers: readonly string[] | null = null;
  #isWanted = true;

  constructor(handler: UpstreamHandler) {
    this.#handler = handler;
  }

  /** False once it was destroyed. */
  get isWanted(): boolean {
    return this.#isWanted;
  }

  begin(connection: Http1Connection, request: UpstreamRequest): void {
    this.#connection = connection;
    connection.begin(request, this.#handler);
    if (this.#early.length > 0) {
      for (const chunk of this.#early) connection.write(chunk);
      this.#early = [];
      if (this.#earlyTrailers === null) this.#handler.onDrain();
    }
    if (this.#earlyTrailers !== null) connection.endRequest(this.#earlyTrailers);
  }

  write(chunk: Buffer): boolean {
    if (this.#connection === null) {
      this.#early.push(chunk);
      return false;
    }
    return this.#connection.serves(this.#handler) && this.#connection.write(chunk);
  }

  end(rawTrailers: readonly string[] = []): void {
    if (this.#connection === null) this.#earlyTrailers = rawTrailers;
    else if (this.#connection.serves(this.#handler)) this.#connection.endRequest(rawTrailers);
  }

  pause(): void {
    if (this.#connection?.serves(this.#handler)) this.#connection.pause();
  }

  resume(): void {
    if (this.#connection?.serves(this.#handler)) this.#connection.resume();
  }

  destroy(): void {
    this.#isWanted = false;
    if (this.#connection?.serves(this.#handler)) this.#connection.destroy();
  }
}
