import type { UpstreamHandler, UpstreamRequest, UpstreamStream } from '../../port/upstream.ts';
import type { Http1Connection } from './http1-connection.ts';

/** One exchange over a connection. Does nothing after the connection has moved on to another exchange. */
export class Http1Stream implements UpstreamStream {
  readonly #handler: UpstreamHandler;
  #connection: Http1Connection | null = null;
  #isWanted = true;

  constructor(handler: UpstreamHandler) {
    this.#handler = handler;
  }

  /** False after {@link destroy}. */
  get isWanted(): boolean {
    return this.#isWanted;
  }

  /** Sends the request over a connection. */
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

  /** Returns the connection while it carries this exchange. */
  #own(): Http1Connection | undefined {
    return this.#connection?.serves(this.#handler) ? this.#connection : undefined;
  }
}
