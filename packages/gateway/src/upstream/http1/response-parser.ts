import { UpstreamError, type UpstreamResponse } from '../../port/upstream.ts';
import { hasToken, parseResponseHead, type ResponseHead } from './parse-response-head.ts';

/** Maximum size of a response head, and of the trailers. Node's default is 16 KiB, which apps with large cookies exceed. */
const HEAD_BYTES_MAX = 64 * 1024;
/** Maximum size of a chunk size line with its extensions. */
const CHUNK_LINE_BYTES_MAX = 4 * 1024;
const END_OF_HEAD = Buffer.from('\r\n\r\n');
const END_OF_LINE = Buffer.from('\r\n');
const EMPTY = Buffer.alloc(0);

/** The receiver of parsed responses, called in wire order. */
export interface ResponseSink {
  onInformation(status: number, rawHeaders: readonly string[]): void;
  onResponse(response: UpstreamResponse): void;
  onData(chunk: Buffer): void;
  onEnd(rawTrailers: readonly string[]): void;
  /** Called for a 101. `rest` holds the bytes of the new protocol that were read already. */
  onUpgrade(response: UpstreamResponse, rest: Buffer): void;
}

/** `idle`: no response is expected; `done`: the response is complete; `stopped`: the rest is ignored. */
type State =
  | 'idle'
  | 'head'
  | 'length'
  | 'eof'
  | 'chunk-size'
  | 'chunk-data'
  | 'chunk-end'
  | 'trailers'
  | 'done'
  | 'stopped';

/** A parser of the HTTP/1 responses of one connection. Body bytes are passed on as views of the read buffer, never copied. */
export class ResponseParser {
  readonly #sink: ResponseSink;
  #state: State = 'idle';
  #isHead = false;
  #isUpgrade = false;
  /** Bytes of an incomplete head, chunk line or trailer line. */
  #partial: Buffer = EMPTY;
  #trailers = '';
  /** Remaining body bytes of the message or of the chunk. */
  #left = 0;
  #canReuse = false;
  #hasBegun = false;
  #keepAliveSeconds: number | undefined;

  constructor(sink: ResponseSink) {
    this.#sink = sink;
  }

  /** Expects the response to a request that was sent. */
  expect(method: string, isUpgrade: boolean): void {
    this.#state = 'head';
    this.#isHead = method === 'HEAD';
    this.#isUpgrade = isUpgrade;
    this.#canReuse = false;
    this.#hasBegun = false;
  }

  /** Expects no response; any byte is an error until {@link expect}. */
  expectNothing(): void {
    this.#state = 'idle';
  }

  /** Ignores all further bytes. */
  stop(): void {
    this.#state = 'stopped';
  }

  /** Whether a byte of the expected response has arrived. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Whether the connection may carry another exchange. Valid when the response is complete. */
  get canReuse(): boolean {
    return this.#canReuse;
  }

  /** `timeout` of the last `Keep-Alive` header, in seconds. */
  get keepAliveSeconds(): number | undefined {
    return this.#keepAliveSeconds;
  }

  /** Parses the next bytes of the connection. @throws UpstreamError `protocol`, also for unexpected bytes. */
  execute(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#state === 'head') at = this.#readHead(chunk, at);
      else if (this.#state === 'length') at = this.#readBody(chunk, at);
      else if (this.#state === 'eof') at = this.#readToEnd(chunk, at);
      else if (this.#state === 'chunk-data') at = this.#readChunkData(chunk, at);
      else if (this.#state === 'chunk-size') at = this.#readChunkSize(chunk, at);
      else if (this.#state === 'chunk-end') at = this.#readChunkEnd(chunk, at);
      else if (this.#state === 'trailers') at = this.#readTrailers(chunk, at);
      else if (this.#state === 'idle') throw new UpstreamError('protocol', 'the service sent an unexpected response');
      else {
        // Bytes after the response must not become the response to the next request.
        this.#canReuse = false;
        return;
      }
    }
  }

  /** Handles the end of the connection. Returns false when it truncates a response. */
  finish(): boolean {
    if (this.#state === 'eof') this.#end([]);
    return this.#state === 'done' || this.#state === 'idle' || this.#state === 'stopped';
  }

  /** Whether the sink has stopped the parser from within a call. */
  get #isStopped(): boolean {
    return this.#state === 'stopped';
  }

  #readHead(chunk: Buffer, at: number): number {
    this.#hasBegun = true;
    const found = this.#collect(chunk, at, END_OF_HEAD, HEAD_BYTES_MAX);
    if (found === undefined) return chunk.length;
    const head = parseResponseHead(found.text);
    if (head.status >= 200) this.#beginBody(head);
    else if (head.status !== 101) {
      // A 100 is not forwarded: the gateway sends its own and never forwards `Expect`.
      if (head.status !== 100) this.#sink.onInformation(head.status, head.rawHeaders);
    } else if (this.#isUpgrade) {
      this.stop();
      this.#sink.onUpgrade(head, chunk.subarray(found.next));
      return chunk.length;
    } else throw new UpstreamError('protocol', 'the service switched protocols unexpectedly');
    return found.next;
  }

  #beginBody(head: ResponseHead): void {
    const { status, contentLength } = head;
    const hasNoBody = this.#isHead || status === 204 || status === 304;
    const isDelimited = hasNoBody || head.isChunked || contentLength !== undefined;
    const isPersistent =
      head.minorVersion === 1 ? !hasToken(head.connection, 'close') : hasToken(head.connection, 'keep-alive');
    this.#canReuse = isDelimited && isPersistent;
    this.#keepAliveSeconds = head.keepAliveSeconds;
    this.#left = contentLength ?? 0;
    this.#state = head.isChunked ? 'chunk-size' : contentLength === undefined ? 'eof' : 'length';
    this.#sink.onResponse(head);
    if (this.#isStopped) return;
    if (hasNoBody || (this.#state === 'length' && this.#left === 0)) this.#end([]);
  }

  #readBody(chunk: Buffer, at: number): number {
    const end = Math.min(chunk.length, at + this.#left);
    this.#left -= end - at;
    this.#sink.onData(at === 0 && end === chunk.length ? chunk : chunk.subarray(at, end));
    if (this.#left === 0 && this.#state === 'length') this.#end([]);
    return end;
  }

  #readToEnd(chunk: Buffer, at: number): number {
    this.#sink.onData(at === 0 ? chunk : chunk.subarray(at));
    return chunk.length;
  }

  #readChunkSize(chunk: Buffer, at: number): number {
    const found = this.#collect(chunk, at, END_OF_LINE, CHUNK_LINE_BYTES_MAX);
    if (found === undefined) return chunk.length;
    // 12 hexadecimal digits stay below 2^53.
    const match = /^([0-9a-fA-F]{1,12})[ \t]*(?:;.*)?$/.exec(found.text);
    if (match === null) throw new UpstreamError('protocol', 'the response is not valid HTTP: bad chunk size');
    this.#left = Number.parseInt(match[1] ?? '', 16);
    this.#state = this.#left === 0 ? 'trailers' : 'chunk-data';
    this.#trailers = '';
    return found.next;
  }

  #readChunkData(chunk: Buffer, at: number): number {
    const end = Math.min(chunk.length, at + this.#left);
    this.#left -= end - at;
    if (this.#left === 0) this.#state = 'chunk-end';
    this.#sink.onData(chunk.subarray(at, end));
    return end;
  }

  #readChunkEnd(chunk: Buffer, at: number): number {
    const found = this.#collect(chunk, at, END_OF_LINE, 2);
    if (found === undefined) return chunk.length;
    if (found.text !== '') throw new UpstreamError('protocol', 'the response is not valid HTTP: bad chunk end');
    this.#state = 'chunk-size';
    return found.next;
  }

  #readTrailers(chunk: Buffer, at: number): number {
    const found = this.#collect(chunk, at, END_OF_LINE, HEAD_BYTES_MAX);
    if (found === undefined) return chunk.length;
    if (found.text === '') {
      this.#end(this.#trailers === '' ? [] : parseResponseHead(`HTTP/1.1 200${this.#trailers}`).rawHeaders);
    } else {
      this.#trailers += `\r\n${found.text}`;
      if (this.#trailers.length > HEAD_BYTES_MAX) throw new UpstreamError('protocol', 'the trailers are too long');
    }
    return found.next;
  }

  #end(rawTrailers: readonly string[]): void {
    this.#state = 'done';
    this.#sink.onEnd(rawTrailers);
  }

  /** Returns the text before `end` and the offset after it; buffers the bytes and returns undefined when `end` has not arrived. */
  #collect(chunk: Buffer, at: number, end: Buffer, maxBytes: number): { text: string; next: number } | undefined {
    const before = this.#partial.length;
    const bytes = before === 0 ? chunk : Buffer.concat([this.#partial, at === 0 ? chunk : chunk.subarray(at)]);
    const start = before === 0 ? at : 0;
    const found = bytes.indexOf(end, Math.max(start, before - end.length + 1));
    const length = (found < 0 ? bytes.length : found) - start;
    if (length > maxBytes)
      throw new UpstreamError('protocol', `the response has a head or line over ${maxBytes} bytes`);
    if (found < 0) {
      // Copied, because a view would keep the whole read buffer in memory.
      this.#partial = before === 0 ? Buffer.from(bytes.subarray(start)) : bytes;
      return undefined;
    }
    this.#partial = EMPTY;
    const next = found + end.length;
    return { text: bytes.toString('latin1', start, found), next: before === 0 ? next : at + next - before };
  }
}
