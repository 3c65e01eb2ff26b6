import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Refusal } from '../admission/refusal.ts';
import { filterResponseHeaders } from '../headers/filter-response-headers.ts';
import { findHeader, headerBytes, removeHeader, toHeaderObject } from '../headers/flat-headers.ts';
import type { UpstreamResponse } from '../port/upstream.ts';
import { errorBody } from './error-body.ts';

/** `HTTP/1.1 200 ` and the two line ends of a head, for its size. */
const HEAD_OVERHEAD_BYTES = 17;

/** Up to this a copy costs less than a second buffer in the write. */
const TEXT_BYTES_MAX = 4_096;

/**
 * The way back to the client. Bytes that came together leave together: a chunk is held until the next one, the end, or {@link flush}, which follows every read,
 * so nothing is ever held while there is nothing to read.
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
   * @param onDrain the client takes more, after a write that answered false.
   * @param cookieHost as for `filterResponseHeaders`; no matter where the gateway itself answers.
   */
  constructor(request: IncomingMessage, response: ServerResponse, onDrain: () => void, cookieHost: string | null) {
    this.#request = request;
    this.#response = response;
    this.#onDrain = onDrain;
    this.#cookieHost = cookieHost;
  }

  /** Bytes handed over, heads included. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The status of the final response; 0 before it has begun. */
  get status(): number {
    return this.#status;
  }

  /** @throws TypeError for headers that can't be written. */
  writeInformation(status: number, rawHeaders: readonly string[]): void {
    const headers = filterResponseHeaders(rawHeaders, this.#cookieHost);
    if (this.#isHttp2) {
      const { stream } = this.#response as unknown as Http2Response;
      if (!stream.destroyed) stream.additionalHeaders({ ':status': status, ...toHeaderObject(headers) });
    } else if (this.#request.httpVersion !== '1.0') {
      // HTTP/1.0 knows no informational responses.
      this.#response.writeInformation(status, headers);
    }
  }

  /** Lets the client send a body it has asked about. */
  writeContinue(): void {
    this.#response.writeContinue();
  }

  /**
   * @param extra headers of the gateway's own, flat.
   * @throws TypeError for a head that can't be written.
   */
  writeHead({ status, statusMessage, rawHeaders }: UpstreamResponse, extra: readonly string[]): void {
    const headers = filterResponseHeaders(rawHeaders, this.#cookieHost);
    // Node refuses to announce trailers where none can follow.
    if (!this.#canHaveTrailers(status, headers)) removeHeader(headers, 'trailer');
    headers.push(...extra);
    if (this.#isHttp2) this.#setHttp2Head(status, headers);
    else this.#response.writeHead(status, statusMessage, headers);
    this.#status = status;
    this.#bytes += HEAD_OVERHEAD_BYTES + statusMessage.length + headerBytes(headers);
  }

  /** False: the client is behind; go on after `onDrain`. */
  write(chunk: Buffer): boolean {
    const canGoOn = this.#held === null || this.#send(this.#held);
    this.#held = chunk;
    this.#bytes += chunk.length;
    return canGoOn;
  }

  /** Sends what is held, and a head that has no body yet. False: as for {@link write}. */
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

  end(rawTrailers: readonly string[]): void {
    if (rawTrailers.length > 0) {
      const trailers = toHeaderObject(filterResponseHeaders(rawTrailers, this.#cookieHost));
      this.#response.addTrailers(trailers as Record<string, string>);
    }
    const chunk = this.#held;
    this.#held = null;
    if (chunk === null) this.#response.end();
    // As text it goes out in one write with the head, which Node keeps as text too.
    else if (!this.#isHeadOut && chunk.length <= TEXT_BYTES_MAX) this.#response.end(chunk.toString('latin1'), 'latin1');
    else this.#response.end(chunk);
  }

  /** Answers in the service's place. Only before a response has begun. */
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

  /** Breaks the response off so that the client can tell. */
  reset(): void {
    this.#held = null;
    if (this.#isHttp2) {
      // `close` would end the stream first, and the client would take a broken response for a whole one.
      this.#request.on('error', () => {});
      (this.#response as unknown as Http2Response).stream.destroy(new Error('the response broke off'));
    } else if (this.#request.httpVersion === '1.0') {
      // Its body ends with the connection: only a reset tells a broken one from a complete one.
      this.#request.socket.resetAndDestroy();
    } else {
      this.#response.destroy();
    }
  }

  get #isHttp2(): boolean {
    return this.#request.httpVersionMajor === 2;
  }

  /** Not sent yet: a head without a body has to be the end of its stream, which some gRPC clients insist on. */
  #setHttp2Head(status: number, headers: readonly string[]): void {
    // A head that could not be set as a whole leaves nothing behind.
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

/** What Node's compatibility layer has of the stream below it. */
interface Http2Response {
  readonly stream: {
    readonly destroyed: boolean;
    additionalHeaders(headers: Record<string, unknown>): void;
    destroy(error: Error): void;
  };
}
