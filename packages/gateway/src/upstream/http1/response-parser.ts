import { UpstreamError, type UpstreamResponse } from '../../port/upstream.ts';
import { hasToken, parseResponseHead, type ResponseHead } from './parse-response-head.ts';

/** Bytes a response head, or the trailers, may have. Node's own default is 16 KiB; apps with large cookies pass it. */
const HEAD_BYTES_MAX = 64 * 1024;
/** A chunk size line with its extensions. */
const CHUNK_LINE_BYTES_MAX = 4 * 1024;
const END_OF_HEAD = Buffer.from('\r\n\r\n');
const END_OF_LINE = Buffer.from('\r\n');
const EMPTY = Buffer.alloc(0);

/** What the parser finds, in wire order. */
export interface ResponseSink {
  onInformation(status: number, rawHeaders: readonly string[]): void;
  onResponse(response: UpstreamResponse): void;
  onData(chunk: Buffer): void;
  onEnd(rawTrailers: readonly string[]): void;
  /** The rest of what was read belongs to the new protocol. */
  onUpgrade(response: UpstreamResponse, rest: Buffer): void;
}

/** `idle`: no response is expected; `done`: it is complete; `stopped`: nobody wants the rest. */
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

/**
 * Reads HTTP/1 responses off a connection, one after another. Body bytes are handed over as views of what was read, never copied.
 */
export class ResponseParser {
  readonly #sink: ResponseSink;
  #state: State = 'idle';
  #isHead = false;
  #isUpgrade = false;
  /** Bytes of the head, a chunk line or trailers that came so far, when their end did not. */
  #partial: Buffer = EMPTY;
  #trailers = '';
  /** Body bytes left of the message or of the chunk. */
  #left = 0;
  #canReuse = false;
  #hasBegun = false;
  #keepAliveSeconds: number | undefined;

  constructor(sink: ResponseSink) {
    this.#sink = sink;
  }

  /** A request was sent: its response is expected. */
  expect(method: string, isUpgrade: boolean): void {
    this.#state = 'head';
    this.#isHead = method === 'HEAD';
    this.#isUpgrade = isUpgrade;
    this.#canReuse = false;
    this.#hasBegun = false;
  }

  /** The response is dealt with, and no other is expected. */
  expectNothing(): void {
    this.#state = 'idle';
  }

  /** The rest of the response is of no interest. */
  stop(): void {
    this.#state = 'stopped';
  }

  /** A byte of the expected response has come. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Once the response is complete: the connection may carry another exchange. */
  get canReuse(): boolean {
    return this.#canReuse;
  }

  /** `timeout` of the last `Keep-Alive` header. */
  get keepAliveSeconds(): number | undefined {
    return this.#keepAliveSeconds;
  }

  /** @throws UpstreamError `protocol`, also for bytes that nobody asked for. */
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
      else if (this.#state === 'idle')
        throw new UpstreamError('protocol', 'the service sent a response nobody asked for');
      else {
        // Bytes behind the response must not become the answer to the next request.
        this.#canReuse = false;
        return;
      }
    }
  }

  /** The instance closed its side; false when that breaks a response off. */
  finish(): boolean {
    if (this.#state === 'eof') this.#end([]);
    return this.#state === 'done' || this.#state === 'idle' || this.#state === 'stopped';
  }

  /** A sink may stop the parser from within a call. */
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
      // 100 was answered by the gateway itself, which never forwards the expectation.
      if (head.status !== 100) this.#sink.onInformation(head.status, head.rawHeaders);
    } else if (this.#isUpgrade) {
      this.stop();
      this.#sink.onUpgrade(head, chunk.subarray(found.next));
      return chunk.length;
    } else throw new UpstreamError('protocol', 'the service switched protocols without being asked');
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

  /** The text up to `end` and where reading goes on; undefined, with what there is kept, when the end has not come. */
  #collect(chunk: Buffer, at: number, end: Buffer, maxBytes: number): { text: string; next: number } | undefined {
    const before = this.#partial.length;
    const bytes = before === 0 ? chunk : Buffer.concat([this.#partial, at === 0 ? chunk : chunk.subarray(at)]);
    const start = before === 0 ? at : 0;
    const found = bytes.indexOf(end, Math.max(start, before - end.length + 1));
    const length = (found < 0 ? bytes.length : found) - start;
    if (length > maxBytes)
      throw new UpstreamError('protocol', `the response has a head or line over ${maxBytes} bytes`);
    if (found < 0) {
      // A copy: the view would keep the whole read buffer.
      this.#partial = before === 0 ? Buffer.from(bytes.subarray(start)) : bytes;
      return undefined;
    }
    this.#partial = EMPTY;
    const next = found + end.length;
    return { text: bytes.toString('latin1', start, found), next: before === 0 ? next : at + next - before };
  }
}
