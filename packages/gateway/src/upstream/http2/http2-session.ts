import { type ClientHttp2Session, connect } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { UpstreamError, type UpstreamHandler, type UpstreamRequest, type UpstreamStream } from '../../port/upstream.ts';
import { Http2Stream } from './http2-stream.ts';
import { toHttp2Headers } from './to-http2-headers.ts';

/** Options of {@link Http2Session}. */
export interface Http2SessionOptions {
  readonly host: string;
  readonly port: number;
  readonly connectTimeoutMs: number;
  /** Stream limit until the instance sends its own; the limit that it sent last. */
  readonly streamsAtFirst: number;
  /** Called with the stream limit that the instance sends. */
  readonly onStreamsKnown: (count: number) => void;
  /** Called once, when the session takes no more requests. */
  readonly onGone: () => void;
}

/** One HTTP/2 connection to an instance. */
export class Http2Session {
  readonly #session: ClientHttp2Session;
  readonly #streams = new Set<Http2Stream>();
  #isConnected = false;
  #isGone = false;

  /** Maximum concurrent streams. */
  #streamsMax: number;

  constructor({ host, port, connectTimeoutMs, streamsAtFirst, onStreamsKnown, onGone }: Http2SessionOptions) {
    this.#streamsMax = streamsAtFirst;
    const socket = connectTcp({ host, port, noDelay: true });
    socket.setTimeout(connectTimeoutMs, () => {
      socket.destroy(new Error(`no connection within ${connectTimeoutMs} ms`));
    });
    const session = connect(`http://${host.includes(':') ? `[${host}]` : host}:${port}`, {
      createConnection: () => socket,
      settings: { enablePush: false },
    });
    this.#session = session;
    socket.once('connect', () => {
      this.#isConnected = true;
      socket.setTimeout(0);
      for (const stream of this.#streams) stream.onConnected();
    });
    session.on('remoteSettings', ({ maxConcurrentStreams = Number.POSITIVE_INFINITY }) => {
      this.#streamsMax = maxConcurrentStreams;
      onStreamsKnown(maxConcurrentStreams);
    });
    const gone = () => {
      if (this.#isGone) return;
      this.#isGone = true;
      onGone();
    };
    // Open streams report a broken connection themselves. After a GOAWAY they may finish, but no new ones begin.
    session.on('error', gone);
    session.on('goaway', gone);
    session.on('close', gone);
  }

  /** Whether the session takes another request. */
  get hasCapacity(): boolean {
    if (this.#isGone || this.#session.closed || this.#session.destroyed) return false;
    return this.#streams.size < this.#streamsMax;
  }

  /** Whether no stream is open. */
  get isIdle(): boolean {
    return this.#streams.size === 0;
  }

  /** Sends a request over a new stream. */
  open(request: UpstreamRequest, handler: UpstreamHandler): UpstreamStream {
    const stream: Http2Stream = new Http2Stream({
      handler,
      isConnected: () => this.#isConnected,
      onClosed: () => this.#streams.delete(stream),
    });
    this.#streams.add(stream);
    try {
      stream.begin(
        this.#session.request(toHttp2Headers(request), {
          endStream: request.body === 'none' || request.body === 0,
          waitForTrailers: request.body === 'chunked',
        }),
      );
    } catch (error) {
      // HTTP/2 cannot carry some requests, such as one that repeats a single-value header.
      const refused = new UpstreamError('protocol', 'the request cannot be sent over HTTP/2', { cause: error });
      process.nextTick(() => stream.fail(refused));
      return stream;
    }
    if (this.#isConnected) process.nextTick(() => stream.onConnected());
    return stream;
  }

  /** Closes the session when its requests have ended. */
  close(): void {
    this.#session.close();
  }

  /** Closes the session; its handlers get the errors of a connection that the instance closed. */
  breakOff(): void {
    for (const stream of [...this.#streams]) stream.breakOff();
    this.#session.destroy();
  }
}
