import { STATUS_CODES } from 'node:http';
import type { ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2';
import { toHeaderObject } from '../../headers/flat-headers.ts';
import {
  UpstreamError,
  type UpstreamErrorKind,
  type UpstreamHandler,
  type UpstreamStream,
} from '../../port/upstream.ts';
import { fromHttp2Headers } from './to-http2-headers.ts';

/** Options of {@link Http2Stream}. */
export interface Http2StreamOptions {
  readonly handler: UpstreamHandler;
  readonly isConnected: () => boolean;
  /** Called when the stream ends, before the handler is. */
  readonly onClosed: () => void;
}

/** One request over HTTP/2. Exactly one of the handler's `onEnd` and `onError` is called, or none after {@link destroy}. */
export class Http2Stream implements UpstreamStream {
  readonly #options: Http2StreamOptions;
  #handler: UpstreamHandler | null;
  #stream: ClientHttp2Stream | null = null;
  #hasResponse = false;
  #isTold = false;
  #rawTrailers: readonly string[] = [];
  #sentTrailers: readonly string[] = [];

  constructor(options: Http2StreamOptions) {
    this.#options = options;
    this.#handler = options.handler;
  }

  /** Starts passing the events of an open stream to the handler. */
  begin(stream: ClientHttp2Stream): void {
    this.#stream = stream;
    stream.on('headers', (headers: IncomingHttpHeaders, _flags: number, rawHeaders: string[]) => {
      const status = Number(headers[':status']);
      if (status !== 100) this.#handler?.onInformation(status, fromHttp2Headers(rawHeaders));
    });
    stream.on('response', (headers: IncomingHttpHeaders, flags: number, rawHeaders: string[]) => {
      this.#hasResponse = true;
      const status = Number(headers[':status']);
      this.#handler?.onResponse({
        status,
        statusMessage: STATUS_CODES[status] ?? '',
        rawHeaders: fromHttp2Headers(rawHeaders),
      });
      if ((flags & END_STREAM) === 0) this.#handler?.onFlush();
    });
    stream.on('data', (chunk: Buffer) => {
      this.#handler?.onData(chunk);
      this.#handler?.onFlush();
    });
    stream.on('trailers', (_headers: IncomingHttpHeaders, _flags: number, rawHeaders: string[]) => {
      this.#rawTrailers = fromHttp2Headers(rawHeaders);
    });
    stream.on('drain', () => this.#handler?.onDrain());
    stream.on('wantTrailers', () => {
      if (!stream.closed) stream.sendTrailers(toHeaderObject(this.#sentTrailers));
    });
    stream.on('end', () => {
      // A reset stream emits `end` too, before its reset code is known.
      setImmediate(() => {
        if (this.#hasResponse && stream.rstCode === NO_ERROR) this.#complete(stream);
      });
    });
    // A reset is reported as an error and by its code at 'close'. It is handled at 'close'.
    stream.on('error', () => {});
    stream.on('close', () => {
      const { rstCode } = stream;
      if (rstCode === NO_ERROR && this.#hasResponse) return;
      const kind = rstCode === REFUSED_STREAM ? 'refused' : this.#kind();
      this.fail(new UpstreamError(kind, `the service ended its stream with code ${rstCode}`));
    });
  }

  /** Tells the handler once that the connection is open and a body may be written. */
  onConnected(): void {
    if (this.#isTold || this.#stream === null) return;
    this.#isTold = true;
    this.#handler?.onConnected();
  }

  write(chunk: Buffer): boolean {
    return this.#handler === null ? false : (this.#stream?.write(chunk) ?? false);
  }

  end(rawTrailers: readonly string[] = []): void {
    this.#sentTrailers = rawTrailers;
    this.#stream?.end();
  }

  pause(): void {
    this.#stream?.pause();
  }

  resume(): void {
    this.#stream?.resume();
  }

  destroy(): void {
    this.#handler = null;
    this.#cancel();
    this.#options.onClosed();
  }

  /** Ends the stream; the handler gets the error of a connection that the instance closed. */
  breakOff(): void {
    this.fail(new UpstreamError(this.#kind(), 'the instance is being stopped'));
    this.destroy();
  }

  /** Ends the stream for the handler with an error. */
  fail(error: UpstreamError): void {
    const handler = this.#handler;
    this.#handler = null;
    this.#options.onClosed();
    handler?.onError(error);
  }

  #complete(stream: ClientHttp2Stream): void {
    const handler = this.#handler;
    this.#handler = null;
    this.#options.onClosed();
    // The response ended before the request's body was complete. The rest of the body is not sent.
    if (!stream.writableEnded) this.#cancel();
    handler?.onEnd(this.#rawTrailers);
  }

  #cancel(): void {
    const stream = this.#stream;
    if (stream === null) return;
    if (stream.writableEnded) stream.close(CANCEL);
    // `close` would end the request first, and the service would take the truncated body for a complete one.
    else stream.destroy(new Error('the client is no longer waiting'));
  }

  #kind(): UpstreamErrorKind {
    if (!this.#options.isConnected()) return 'connect';
    return this.#hasResponse ? 'truncated' : 'reset';
  }
}

/** Error codes (RFC 9113 section 7). */
const NO_ERROR = 0;
const REFUSED_STREAM = 7;
const CANCEL = 8;
/** Frame flag (RFC 9113 section 6.2). */
const END_STREAM = 1;
