import type { UpstreamHandler, UpstreamRequest, UpstreamStream } from '../../port/upstream.ts';
import type { Http1Connection } from './http1-connection.ts';

/** One exchange over a connection. The connection may go on to another exchange: this one then does nothing to it. */
export class Http1Stream implements UpstreamStream {
  readonly #handler: UpstreamHandler;
  #connection: Http1Connection | null = null;
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
  }

  write(chunk: Buffer): boolean {
    const connection = this.#own();
    return connection?.write(chunk) ?? false;
  }

  end(rawTrailers?: readonly string[]): void {
    this.#own()?.endRequest(rawTrailers);
  }

  pause(): void {
    this.#own()?.pause();
  }

  resume(): void {
    this.#own()?.resume();
  }

  destroy(): void {
    this.#isWanted = false;
    this.#own()?.destroy();
  }

  /** The connection, while this is its exchange. */
  #own(): Http1Connection | undefined {
    return this.#connection?.serves(this.#handler) ? this.#connection : undefined;
  }
}
