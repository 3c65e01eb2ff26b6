import type { IncomingMessage } from 'node:http';
import type { UpstreamRequest, UpstreamStream } from '../port/upstream.ts';

/**
 * Moves a request's body to an instance as it arrives, no faster than the instance takes it. Nothing is read before {@link start}: until
 * then the client's bytes stay in its socket.
 */
export class RequestBody {
  readonly framing: UpstreamRequest['body'];
  readonly #request: IncomingMessage;
  #stream: UpstreamStream | null = null;
  #bytes = 0;
  #isListening = false;

  constructor(request: IncomingMessage) {
    this.#request = request;
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
      this.#stream?.end(request.rawTrailers);
    });
    // A client that breaks off is noticed at the response.
    request.on('error', () => {});
  }

  /** The instance takes more. */
  resume(): void {
    this.#request.resume();
  }

  /** The instance takes nothing more: what the client still sends is read and dropped, for as long as the front lets it. */
  stop(): void {
    this.#stream = null;
    if (!this.#request.complete) this.#request.resume();
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
export function http2Stream(request: IncomingMessage) {
  return (request as { readonly stream?: { readonly endAfterHeaders: boolean; close(code: number): void } }).stream;
}
