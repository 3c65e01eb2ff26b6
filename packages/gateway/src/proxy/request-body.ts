import type { IncomingMessage } from 'node:http';
import type { UpstreamRequest, UpstreamStream } from '../port/upstream.ts';

/**
 * The body of a request, streamed to an instance with backpressure. Nothing is read before {@link start}; until then the client's bytes
 * stay in its socket.
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

  /** Body bytes forwarded so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Starts forwarding to a stream. Called again with a new stream on a retry; only called when there is a body. */
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
    // An aborted request is handled on the response's `close` event.
    request.on('error', () => {});
  }

  /** Resumes reading when the instance takes more. */
  resume(): void {
    this.#request.resume();
  }

  /** Stops forwarding. The rest of the body is read and dropped until the front server ends it. */
  stop(): void {
    this.#stream = null;
    if (!this.#request.complete) this.#request.resume();
  }
}

/** Returns whether a request has a non-empty body. */
export function hasBody(request: IncomingMessage): boolean {
  const framing = bodyFraming(request);
  return framing !== 'none' && framing !== 0;
}

/** Returns the framing of a request's body: from two headers in HTTP/1, from the end of the stream in HTTP/2. */
function bodyFraming(request: IncomingMessage): UpstreamRequest['body'] {
  const { headers } = request;
  const length = headers['content-length'];
  if (length !== undefined) return Number(length);
  if (headers['transfer-encoding'] !== undefined) return 'chunked';
  return request.httpVersionMajor === 2 && http2Stream(request)?.endAfterHeaders === false ? 'chunked' : 'none';
}

/** Returns the stream of an HTTP/2 request; undefined for HTTP/1. */
export function http2Stream(request: IncomingMessage) {
  return (request as { readonly stream?: { readonly endAfterHeaders: boolean; close(code: number): void } }).stream;
}
