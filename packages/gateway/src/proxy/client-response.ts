import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Refusal } from '../admission/refusal.ts';
import { filterResponseHeaders } from '../headers/filter-response-headers.ts';
import { findHeader, headerBytes, removeHeader, toHeaderObject } from '../headers/flat-headers.ts';
import type { UpstreamResponse } from '../port/upstream.ts';
import { errorBody } from './error-body.ts';

/** Size of `HTTP/1.1 200 ` and the two line ends of a head. */
const HEAD_OVERHEAD_BYTES = 17;

/** Up to this size, copying a chunk costs less than writing a second buffer. */
const TEXT_BYTES_MAX = 4_096;

/**
 * The response to the client. Bytes that were read together are written together: a chunk is held until the next chunk, the end or
 * {@link flush}. A flush follows every read, so no chunk is held while the connection is idle.
 */
export class ClientResponse {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #onDrain: () => void;
  readonly #cookieHost: string | null;
  #held: Buffer | null = null;
  #isHeadOut = false;
  #isDraining = false;
  #bytes = 0;
  #status = 0;

  /**
   * @param onDrain called when the client takes more, after a write that returned false.
   * @param cookieHost as for `filterResponseHeaders`; not used when the gateway itself answers.
   */
  constructor(request: IncomingMessage, response: ServerResponse, onDrain: () => void, cookieHost: string | null) {
    this.#request = request;
    this.#response = response;
    this.#onDrain = onDrain;
    this.#cookieHost = cookieHost;
  }

  /** Bytes written or held so far, heads included. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Status of the final response; 0 before it has begun. */
  get status(): number {
    return this.#status;
  }

  /** Returns whether chunks that were written are still in memory; always for a response of Node's server, which may keep them. */
  needsChunks(): boolean {
    return this.#held !== null || ((this.#response as Partial<PlainClient>).isWaiting ?? true);
  }

  /** Forwards an informational (1xx) response. @throws TypeError for invalid headers. */
  writeInformation(status: number, rawHeaders: readonly string[]): void {
    const headers = filterResponseHeaders(rawHeaders, this.#cookieHost);
    if (this.#isHttp2) {
      const { stream } = this.#response as unknown as Http2Response;
      if (!stream.destroyed) stream.additionalHeaders({ ':status': status, ...toHeaderObject(headers) });
    } else if (this.#request.httpVersion !== '1.0') {
      // HTTP/1.0 has no informational responses.
      this.#response.writeInformation(status, headers);
    }
  }

  /** Sends `100 Continue`. */
  writeContinue(): void {
    this.#response.writeContinue();
  }

  /**
   * Forwards the head of the final response.
   *
   * @param extra the gateway's own headers, flat.
   * @throws TypeError for a head that Node refuses.
   */
  writeHead({ status, statusMessage, rawHeaders }: UpstreamResponse, extra: readonly string[]): void {
    const headers = filterResponseHeaders(rawHeaders, this.#cookieHost);
    // Node refuses a `Trailer` header where no trailers can follow.
    if (!this.#canHaveTrailers(status, headers)) removeHeader(headers, 'trailer');
    headers.push(...extra);
    if (this.#isHttp2) this.#setHttp2Head(status, headers);
    else this.#response.writeHead(status, statusMessage, headers);
    this.#status = status;
    this.#bytes += HEAD_OVERHEAD_BYTES + statusMessage.length + headerBytes(headers);
  }

  /** Writes body bytes. Returns false when the client is slower; `onDrain` is called when it takes more. */
  write(chunk: Buffer): boolean {
    const canGoOn = this.#held === null || this.#send(this.#held);
    this.#held = chunk;
    this.#bytes += chunk.length;
    return canGoOn;
  }

  /** Sends the held chunk, or the head when no body has come yet. Returns false as {@link write} does. */
  flush(): boolean {
    if (this.#held !== null) {
      const chunk = this.#held;
      this.#held = null;
      return this.#send(chunk);
    }
    if (!this.#isHeadOut && this.#status !== 0) {
      this.#isHeadOut = true;
      this.#response.flushHeaders();
    }
    return true;
  }

  /** Ends the response, with trailers if there are any. */
  end(rawTrailers: readonly string[]): void {
    if (rawTrailers.length > 0) {
      const trailers = toHeaderObject(filterResponseHeaders(rawTrailers, this.#cookieHost));
      this.#response.addTrailers(trailers as Record<string, string>);
    }
    const chunk = this.#held;
    this.#held = null;
    if (chunk === null) this.#response.end();
    // As a string the chunk is written together with the head, which Node also keeps as a string.
    else if (!this.#isHeadOut && chunk.length <= TEXT_BYTES_MAX) this.#response.end(chunk.toString('latin1'), 'latin1');
    else this.#response.end(chunk);
  }

  /** Sends a refusal instead of the service's response. Only allowed before a response has begun. */
  answer(refusal: Refusal, isClosing = false): void {
    const { contentType, text } = errorBody(refusal, this.#request.headers.accept);
    const length = Buffer.byteLength(text);
    const headers = [
      'Content-Type',
      contentType,
      'Content-Length',
      String(length),
      'Cache-Control',
      'no-store',
      'berth-reason',
      refusal.reason,
    ];
    if (refusal.retryAfterSeconds !== undefined) headers.push('Retry-After', String(refusal.retryAfterSeconds));
    if (isClosing && !this.#isHttp2) headers.push('Connection', 'close');
    if (this.#isHttp2) this.#setHttp2Head(refusal.status, headers);
    else this.#response.writeHead(refusal.status, STATUS_CODES[refusal.status] ?? '', headers);
    this.#status = refusal.status;
    this.#bytes += HEAD_OVERHEAD_BYTES + headerBytes(headers) + length;
    this.#response.end(text);
  }

  /** Aborts the response in a way that the client notices. */
  reset(): void {
    this.#held = null;
    if (this.#isHttp2) {
      // `close` would end the stream first, and the client would take the truncated response for a complete one.
      this.#request.on('error', () => {});
      (this.#response as unknown as Http2Response).stream.destroy(new Error('the response was cut off'));
    } else if (this.#request.httpVersion === '1.0') {
      // The body ends with the connection, so only a reset tells a truncated response from a complete one.
      this.#request.socket.resetAndDestroy();
    } else {
      this.#response.destroy();
    }
  }

  get #isHttp2(): boolean {
    return this.#request.httpVersionMajor === 2;
  }

  /** Sets the head without sending it. A head without a body must end its stream in one frame, which some gRPC clients require. */
  #setHttp2Head(status: number, headers: readonly string[]): void {
    // Removes headers of an earlier head that Node refused halfway.
    for (const name of this.#response.getHeaderNames()) this.#response.removeHeader(name);
    this.#response.statusCode = status;
    for (const [name, value] of Object.entries(toHeaderObject(headers))) this.#response.setHeader(name, value);
  }

  #canHaveTrailers(status: number, headers: readonly string[]): boolean {
    if (this.#isHttp2) return true;
    const { method, httpVersion } = this.#request;
    if (method === 'HEAD' || httpVersion === '1.0' || status === 204 || status === 304) return false;
    return findHeader(headers, 'content-length') < 0;
  }

  #send(chunk: Buffer): boolean {
    this.#isHeadOut = true;
    const canGoOn = this.#response.write(chunk);
    if (!canGoOn && !this.#isDraining) {
      this.#isDraining = true;
      this.#response.on('drain', this.#onDrain);
    }
    return canGoOn;
  }
}

/** Answers a request that doesn't reach a service. */
export function sendRefusal(
  request: IncomingMessage,
  response: ServerResponse,
  refusal: Refusal,
  isClosing = false,
): void {
  new ClientResponse(request, response, () => {}, null).answer(refusal, isClosing);
}

/** A response that is written to the client's socket, without Node's server. */
interface PlainClient {
  readonly isWaiting: boolean;
}

/** The part of Node's HTTP/2 compatibility response that gives access to its stream. */
interface Http2Response {
  readonly stream: {
    readonly destroyed: boolean;
    additionalHeaders(headers: Record<string, unknown>): void;
    destroy(error: Error): void;
  };
}
