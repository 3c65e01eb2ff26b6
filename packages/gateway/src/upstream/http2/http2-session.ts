import { type ClientHttp2Session, connect } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { UpstreamError, type UpstreamHandler, type UpstreamRequest, type UpstreamStream } from '../../port/upstream.ts';
import { Http2Stream } from './http2-stream.ts';
import { toHttp2Headers } from './to-http2-headers.ts';

/** What a session is opened with. */
export interface Http2SessionOptions {
  readonly host: string;
  readonly port: number;
  readonly connectTimeoutMs: number;
  /** Streams to use until the instance has said how many it allows: what it said last. */
  readonly streamsAtFirst: number;
  readonly onStreamsKnown: (count: number) => void;
  /** It takes no more requests and carries none. Called once. */
  readonly onGone: () => void;
}

/** One HTTP/2 connection to an instance. */
export class Http2Session {
  readonly #session: ClientHttp2Session;
  readonly #streams = new Set<Http2Stream>();
  #isConnected = false;
  #isGone = false;

  /** Streams that may be open at once. */
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
    // Requests under way hear of a broken connection by themselves; after a GOAWAY they may end, but no new ones begin.
    session.on('error', gone);
    session.on('goaway', gone);
    session.on('close', gone);
  }

  /** Takes another request. */
  get hasCapacity(): boolean {
    if (this.#isGone || this.#session.closed || this.#session.destroyed) return false;
    return this.#streams.size < this.#streamsMax;
  }

  get isIdle(): boolean {
    return this.#streams.size === 0;
  }

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
      // What HTTP/2 can't carry, such as a repeated header that may come once only.
      const refused = new UpstreamError('protocol', 'the request cannot be sent over HTTP/2', { cause: error });
      process.nextTick(() => stream.fail(refused));
      return stream;
    }
    if (this.#isConnected) process.nextTick(() => stream.onConnected());
    return stream;
  }

  /** Ends it when its requests have ended. */
  close(): void {
    this.#session.close();
  }

  /** Ends it and its requests as if the instance had. */
  breakOff(): void {
    for (const stream of [...this.#streams]) stream.breakOff();
    this.#session.destroy();
  }
}
