import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { headerLines } from '../headers/flat-headers.ts';
import type { PlainRequest } from './plain-request.ts';

/** Up to this size, copying a chunk into a string costs less than writing several buffers. */
const TEXT_BYTES_MAX = 4_096;

const LAST_CHUNK = '0\r\n';
const EMPTY = Buffer.alloc(0);

/**
 * A response of a plain connection: the part of Node's `ServerResponse` that the gateway uses, with the same bytes. Head, body and end that are
 * known together go out in one write.
 */
export class PlainResponse {
  readonly #socket: Socket;
  readonly #keepAlive: string;
  readonly #onDone: (closes: boolean) => void;
  /** The head, until it is sent. */
  #head = '';
  #hasBody: boolean;
  #isChunked = false;
  #closes: boolean;
  #trailers = '';
  #isEnded = false;
  #isClosed = false;
  #onClose: (() => void) | undefined;
  #onDrain: (() => void) | undefined;
  #onFinish: (() => void) | undefined;

  /**
   * @param keepAlive value of `Keep-Alive`
   * @param onDone called once, when everything is written; with whether the connection must close
   */
  constructor(
    socket: Socket,
    request: PlainRequest,
    {
      closes,
      keepAlive,
      onDone,
    }: { readonly closes: boolean; readonly keepAlive: string; onDone(closes: boolean): void },
  ) {
    this.#socket = socket;
    this.#keepAlive = keepAlive;
    this.#closes = closes;
    this.#hasBody = request.method !== 'HEAD';
    this.#onDone = onDone;
  }

  /** Bytes that were written are still in memory. */
  get isWaiting(): boolean {
    return this.#socket.writableLength > 0;
  }

  on(event: string, listener: () => void): this {
    if (event === 'close') this.#onClose = listener;
    else if (event === 'drain') this.#onDrain = listener;
    else if (event === 'finish') this.#onFinish = listener;
    return this;
  }

  once(event: string, listener: () => void): this {
    return this.on(event, listener);
  }

  /** @param headers flat */
  writeHead(status: number, message: string, headers: readonly string[]): this {
    let hasDate = false;
    let hasLength = false;
    let hasConnection = false;
    for (let i = 0; i < headers.length; i += 2) {
      const name = headers[i] ?? '';
      if (name.length === 4) hasDate ||= name.toLowerCase() === 'date';
      else if (name.length === 14) hasLength ||= name.toLowerCase() === 'content-length';
      else if (name.length === 10 && name.toLowerCase() === 'connection') {
        hasConnection = true;
        if (headers[i + 1]?.toLowerCase() === 'close') this.#closes = true;
      }
    }
    if (status === 204 || status === 304) this.#hasBody = false;
    this.#isChunked = this.#hasBody && !hasLength;
    let head = `HTTP/1.1 ${status} ${message}\r\n${headerLines(headers)}`;
    if (!hasDate) head += dateLine();
    if (!hasConnection)
      head += this.#closes ? 'Connection: close\r\n' : `Connection: keep-alive\r\nKeep-Alive: ${this.#keepAlive}\r\n`;
    if (this.#isChunked) head += 'Transfer-Encoding: chunked\r\n';
    this.#head = `${head}\r\n`;
    return this;
  }

  /** @param headers flat */
  writeInformation(status: number, headers: readonly string[]): void {
    this.#socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${headerLines(headers)}\r\n`, 'latin1');
  }

  flushHeaders(): void {
    const head = this.#takeHead();
    if (head !== '') this.#socket.write(head, 'latin1');
  }

  /** Returns false when the client is slower; `drain` follows. */
  write(chunk: Buffer): boolean {
    const head = this.#takeHead();
    // An empty chunk would end a chunked body.
    if (!this.#hasBody || chunk.length === 0) return head === '' || this.#socket.write(head, 'latin1');
    const before = this.#isChunked ? `${head}${chunk.length.toString(16)}\r\n` : head;
    if (before === '') return this.#socket.write(chunk);
    if (chunk.length <= TEXT_BYTES_MAX)
      return this.#socket.write(`${before}${chunk.toString('latin1')}${this.#isChunked ? '\r\n' : ''}`, 'latin1');
    this.#socket.cork();
    this.#socket.write(before, 'latin1');
    this.#socket.write(chunk);
    if (this.#isChunked) this.#socket.write('\r\n', 'latin1');
    this.#socket.uncork();
    return !this.#socket.writableNeedDrain;
  }

  addTrailers(trailers: Readonly<Record<string, string | readonly string[]>>): void {
    for (const [name, value] of Object.entries(trailers)) {
      for (const one of typeof value === 'string' ? [value] : value) this.#trailers += `${name}: ${one}\r\n`;
    }
  }

  /** @param data UTF-8, unless it is said to be latin1 */
  end(data?: string | Buffer, encoding?: 'latin1'): this {
    if (this.#isEnded) return this;
    this.#isEnded = true;
    const body = data === undefined || !this.#hasBody ? '' : data;
    if (typeof body === 'string' && (encoding === 'latin1' || body === '')) this.#endWithText(body);
    else this.#endWithBytes(typeof body === 'string' ? Buffer.from(body) : body);
    if (this.#socket.writableLength === 0) this.#finish();
    // Is called after the writes before it.
    else this.#socket.write(EMPTY, () => this.#finish());
    return this;
  }

  /** Breaks the response off, and the connection. */
  destroy(): this {
    this.#socket.destroy();
    return this;
  }

  /** The client takes more. */
  drained(): void {
    this.#onDrain?.();
  }

  /** The connection is gone, or the response is complete. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#onClose?.();
  }

  #endWithText(body: string): void {
    const part = this.#isChunked && body !== '' ? `${body.length.toString(16)}\r\n${body}\r\n` : body;
    const text = `${this.#takeHead()}${part}${this.#tail()}`;
    if (text !== '') this.#socket.write(text, 'latin1');
  }

  #endWithBytes(body: Buffer): void {
    this.#socket.cork();
    this.write(body);
    const tail = this.#tail();
    if (tail !== '') this.#socket.write(tail, 'latin1');
    this.#socket.uncork();
  }

  #tail(): string {
    return this.#isChunked ? `${LAST_CHUNK}${this.#trailers}\r\n` : '';
  }

  #takeHead(): string {
    const head = this.#head;
    this.#head = '';
    return head;
  }

  #finish(): void {
    this.#onFinish?.();
    this.close();
    this.#onDone(this.#closes);
  }
}

let dateText = '';
let dateAtMs = 0;

/** Returns the header `Date`, which changes once a second. */
function dateLine(): string {
  const nowMs = Date.now();
  if (nowMs - dateAtMs >= 1_000 || nowMs < dateAtMs) {
    dateAtMs = nowMs - (nowMs % 1_000);
    dateText = `Date: ${new Date(nowMs).toUTCString()}\r\n`;
  }
  return dateText;
}
