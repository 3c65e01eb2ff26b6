import { connect, type Socket } from 'node:net';
import type { Clock } from '@berth/kit';
import { headerLines } from '../../headers/flat-headers.ts';
import {
  UpstreamError,
  type UpstreamHandler,
  type UpstreamRequest,
  type UpstreamResponse,
} from '../../port/upstream.ts';
import { ResponseParser, type ResponseSink } from './response-parser.ts';

/**
 * A reused connection that closes within this time after a request was sent, without a byte of a response, counts as closed for
 * idleness: the close and the request crossed. Locally this takes about a millisecond; the rest is margin for a busy machine.
 */
const STALE_WINDOW_MS = 250;

/** Memory of a connection for its reads. The system provides only the part that responses fill. */
const READ_BYTES = 64 * 1024;

const NO_TRAILERS: readonly string[] = [];

/** A TCP address or the path of a UNIX socket. */
export type Http1Address = { readonly host: string; readonly port: number } | { readonly path: string };

/** Options of {@link Http1Connection}. */
export type Http1ConnectionOptions = Http1Address & {
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  /** Called when the connection has finished an exchange and may carry another. */
  readonly onFree: (connection: Http1Connection) => void;
  /** Called once, when the connection is closed or was handed over to a tunnel. */
  readonly onGone: (connection: Http1Connection) => void;
  /** The connection may be handed over to a tunnel, so its bytes come as `data` events. */
  readonly isForTunnel?: boolean;
};

/**
 * One connection to an instance, which carries one exchange at a time.
 * C1: exactly one of a handler's `onEnd`, `onUpgrade` and `onError` is called, or none after {@link destroy}. C2: a connection is free
 * again only when request and response are complete and no further bytes have arrived.
 */
export class Http1Connection implements ResponseSink {
  readonly #options: Http1ConnectionOptions;
  readonly #socket: Socket;
  readonly #parser = new ResponseParser(this);
  /** Every read goes here, because a buffer for each is up to a quarter of a response's CPU time. */
  #memory: Buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  #handler: UpstreamHandler | null = null;
  #isConnected = false;
  #isChunked = false;
  #isRequestSent = true;
  #isGone = false;
  #exchanges = 0;
  #begunAtMs = 0;
  /** Set between the end of a response and the end of the read that held it. */
  #endedWith: readonly string[] | null = null;
  /** When the connection became free. Monotonic; set by the connection pool. */
  freeSinceMs = 0;

  constructor(options: Http1ConnectionOptions) {
    this.#options = options;
    const socket = connect({
      ...('path' in options ? { path: options.path } : { host: options.host, port: options.port, noDelay: true }),
      ...(!options.isForTunnel && { onread: { buffer: () => this.#memory, callback: this.#onSharedRead.bind(this) } }),
    });
    this.#socket = socket;
    socket.setTimeout(options.connectTimeoutMs, () => {
      socket.destroy(new Error(`no connection within ${options.connectTimeoutMs} ms`));
    });
    socket.once('connect', () => {
      this.#isConnected = true;
      socket.setTimeout(0);
      this.#handler?.onConnected();
    });
    if (options.isForTunnel) socket.on('data', (chunk: Buffer) => this.#onRead(chunk));
    socket.on('drain', () => this.#handler?.onDrain());
    socket.on('end', () => this.#onClose(undefined));
    socket.on('error', (error) => this.#onClose(error));
    socket.on('close', () => this.#onClose(undefined));
  }

  /** `timeout` of the instance's last `Keep-Alive` header, in seconds. */
  get keepAliveSeconds(): number | undefined {
    return this.#parser.keepAliveSeconds;
  }

  /** True when the connection is closed or was handed over to a tunnel. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** Returns true while the connection carries the exchange of this handler. */
  serves(handler: UpstreamHandler): boolean {
    return this.#handler === handler;
  }

  /** Sends the head of a request, and passes its response to the handler. */
  begin(request: UpstreamRequest, handler: UpstreamHandler): void {
    this.#handler = handler;
    this.#exchanges++;
    this.#begunAtMs = this.#options.clock.monotonicMs();
    this.#isChunked = request.body === 'chunked';
    this.#isRequestSent = request.body === 'none' || request.body === 0;
    this.#parser.expect(request.method, request.upgrade !== undefined);
    this.#socket.write(serializeRequestHead(request), 'latin1');
    if (!this.#isConnected || this.#isRequestSent) return;
    // Deferred, because the caller must receive its stream before `onConnected` is called.
    process.nextTick(() => {
      if (this.#handler === handler) handler.onConnected();
    });
  }

  /** Writes body bytes, chunked if needed. Returns false when the instance is slower; `onDrain` is called when it takes more. */
  write(chunk: Buffer): boolean {
    if (!this.#isChunked) return this.#socket.write(chunk);
    this.#socket.cork();
    this.#socket.write(`${chunk.length.toString(16)}\r\n`, 'latin1');
    this.#socket.write(chunk);
    const canGoOn = this.#socket.write('\r\n', 'latin1');
    this.#socket.uncork();
    return canGoOn;
  }

  /** Completes the request, with trailers if its body is chunked. */
  endRequest(rawTrailers: readonly string[] = NO_TRAILERS): void {
    if (this.#isChunked) this.#socket.write(`0\r\n${headerLines(rawTrailers)}\r\n`, 'latin1');
    this.#isRequestSent = true;
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Closes the connection without calling the handler. Idempotent. */
  destroy(): void {
    this.#handler = null;
    this.#parser.stop();
    this.#socket.destroy();
    this.#gone();
  }

  /** Closes the connection; the handler gets the error of a connection that the instance closed. */
  breakOff(): void {
    this.#onClose(new Error('the instance is being stopped'));
  }

  onInformation(status: number, rawHeaders: readonly string[]): void {
    this.#handler?.onInformation(status, rawHeaders);
  }

  onResponse(response: UpstreamResponse): void {
    this.#handler?.onResponse(response);
  }

  onData(chunk: Buffer): void {
    this.#handler?.onData(chunk);
  }

  onEnd(rawTrailers: readonly string[]): void {
    this.#endedWith = rawTrailers;
  }

  onUpgrade(response: UpstreamResponse, rest: Buffer): void {
    const handler = this.#handler;
    this.#handler = null;
    this.#socket.removeAllListeners();
    this.#gone();
    handler?.onUpgrade(response, this.#socket, rest);
  }

  #onSharedRead(bytes: number, memory: Uint8Array): boolean {
    const chunk = (memory as Buffer).subarray(0, bytes);
    const handler = this.#handler;
    if (handler?.needsChunks === undefined) this.#onRead(Buffer.from(chunk));
    else {
      this.#onRead(chunk);
      if (handler.needsChunks()) this.#memory = Buffer.allocUnsafeSlow(READ_BYTES);
    }
    return true;
  }

  #onRead(chunk: Buffer): void {
    try {
      this.#parser.execute(chunk);
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      this.#fail(error);
      return;
    }
    if (this.#endedWith !== null) this.#complete(this.#endedWith);
    else this.#handler?.onFlush();
  }

  #complete(rawTrailers: readonly string[]): void {
    const handler = this.#handler;
    this.#handler = null;
    this.#endedWith = null;
    if (this.#parser.canReuse && this.#isRequestSent && !this.#isGone) {
      // The reader of the response may have paused the socket. A free connection must be read, so that its end is noticed.
      this.#socket.resume();
      this.#parser.expectNothing();
      this.#options.onFree(this);
    } else {
      this.destroy();
    }
    handler?.onEnd(rawTrailers);
  }

  #onClose(cause: Error | undefined): void {
    if (this.#handler === null) {
      this.destroy();
      return;
    }
    if (!this.#isConnected) {
      this.#fail(new UpstreamError('connect', 'the connection was refused', { cause }));
    } else if (cause === undefined && this.#parser.finish() && this.#endedWith !== null) {
      this.#complete(this.#endedWith);
    } else if (this.#parser.hasBegun) {
      this.#fail(new UpstreamError('truncated', 'the service broke off its response', { cause }));
    } else {
      const ageMs = this.#options.clock.monotonicMs() - this.#begunAtMs;
      const isStale = this.#exchanges > 1 && ageMs < STALE_WINDOW_MS;
      this.#fail(
        new UpstreamError('reset', 'the service closed the connection without a response', { cause, isStale }),
      );
    }
  }

  #fail(error: UpstreamError): void {
    const handler = this.#handler;
    this.destroy();
    handler?.onError(error);
  }

  #gone(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#options.onGone(this);
  }
}

/** Returns the head of a request in wire format; latin1. */
function serializeRequestHead({ method, path, headers, body, upgrade }: UpstreamRequest): string {
  let head = `${method} ${path} HTTP/1.1\r\n${headerLines(headers)}`;
  if (typeof body === 'number') head += `Content-Length: ${body}\r\n`;
  else if (body === 'chunked') head += 'Transfer-Encoding: chunked\r\n';
  if (upgrade !== undefined) head += `Connection: Upgrade\r\nUpgrade: ${upgrade}\r\n`;
  return `${head}\r\n`;
}
