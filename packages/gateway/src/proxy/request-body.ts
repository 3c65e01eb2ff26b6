import type { IncomingMessage } from 'node:http';
import type { Clock, Timer } from '@berth/kit';
import type { UpstreamRequest, UpstreamStream } from '../upstream/upstream.ts';

/** What a body pump is built with. */
export interface RequestBodyOptions {
  readonly clock: Clock;
  /** A client that was answered early may go on sending for this long. */
  readonly lingerMs: number;
}

/**
 * Moves a request's body to an instance as it arrives, no faster than the instance takes it. Nothing is read before {@link start}: until
 * then the client's bytes stay in its socket.
 */
export class RequestBody {
  readonly framing: UpstreamRequest['body'];
  readonly #request: IncomingMessage;
  readonly #options: RequestBodyOptions;
  #stream: UpstreamStream | null = null;
  #bytes = 0;
  #lingerTimer: Timer | null = null;
  #isListening = false;

  constructor(request: IncomingMessage, options: RequestBodyOptions) {
    this.#request = request;
    this.#options = options;
    this.framing = bodyFraming(request);
  }

  /** Body bytes sent on so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Begins to read. Only called when there is a body. */
  start(stream: UpstreamStream): void {
    this.#stream = stream;
    if (this.#isListening) return;
    this.#isListening = true;
    const request = this.#request;
    request.on('data', (chunk: Buffer) => {
      if (this.#stream === null) return;
      this.#bytes += chunk.length;
      if (!this.#stream.write(chunk)) request.pause();
    });
    request.on('end', () => {
      this.#lingerTimer?.cancel();
      this.#stream?.end(request.rawTrailers);
    });
    // A client that breaks off is noticed at the response.
    request.on('error', () => {});
  }

  /** The instance takes more. */
  resume(): void {
    this.#request.resume();
  }

  /**
   * The instance takes nothing more. What the client still sends is read and dropped, so that it sees its answer before the connection
   * closes, but not for long.
   */
  stop(): void {
    this.#stream = null;
    const request = this.#request;
    if (request.complete || this.#lingerTimer !== null) return;
    request.resume();
    this.#lingerTimer = this.#options.clock.setTimer(this.#options.lingerMs, () => {
      if (request.complete) return;
      if (request.httpVersionMajor === 2) http2Stream(request)?.close(NO_ERROR);
      else request.socket.destroy();
    });
  }
}

/** Whether a request comes with a body, an empty one not counted. */
export function hasBody(request: IncomingMessage): boolean {
  const framing = bodyFraming(request);
  return framing !== 'none' && framing !== 0;
}

/** How a request's body is framed. HTTP/1 says it with two headers; an HTTP/2 stream ends with its head when there is none. */
function bodyFraming(request: IncomingMessage): UpstreamRequest['body'] {
  const { headers } = request;
  const length = headers['content-length'];
  if (length !== undefined) return Number(length);
  if (headers['transfer-encoding'] !== undefined) return 'chunked';
  return request.httpVersionMajor === 2 && http2Stream(request)?.endAfterHeaders === false ? 'chunked' : 'none';
}

/** The stream below a request of HTTP/2. */
function http2Stream(request: IncomingMessage) {
  return (request as { readonly stream?: { readonly endAfterHeaders: boolean; close(code: number): void } }).stream;
}

/** RFC 9113 section 7. A server that has answered may end a stream with it (section 8.1). */
const NO_ERROR = 0;
