import type { Duplex } from 'node:stream';

/** A request as it is sent to an instance. Header lists are flat: name, value, name, value, in wire order. */
export interface UpstreamRequest {
  readonly method: string;
  /** Origin form: path and query, or `*`. */
  readonly path: string;
  /** End-to-end headers only, `Host` among them; framing headers are {@link body}'s. */
  readonly headers: readonly string[];
  /** The framing of the body: its length in bytes, `chunked` when that is unknown, `none` without a body. */
  readonly body: number | 'chunked' | 'none';
  /** The value of `Upgrade`, to request a tunnel. */
  readonly upgrade?: string;
}

/** The head of a final response. */
export interface UpstreamResponse {
  readonly status: number;
  readonly statusMessage: string;
  /** Flat, in wire order, hop-by-hop headers included. */
  readonly rawHeaders: readonly string[];
}

/**
 * The reason why an exchange with an instance ended early. `connect`: nothing of the request was sent. `refused`: the instance said
 * that it didn't process the request. `reset`: the request was sent, but no byte of a response came. `truncated`: the response broke
 * off. `protocol`: the response isn't HTTP.
 */
export type UpstreamErrorKind = 'connect' | 'refused' | 'reset' | 'truncated' | 'protocol';

/** The error of an exchange with an instance that ended early. */
export class UpstreamError extends Error {
  readonly kind: UpstreamErrorKind;
  /**
   * For a `reset`: the instance had closed the idle connection that the request was sent on, so it read nothing of the request. This
   * is inferred; see `Http1Connection`.
   */
  readonly isStale: boolean;

  constructor(
    kind: UpstreamErrorKind,
    message: string,
    { cause, isStale = false }: { readonly cause?: unknown; readonly isStale?: boolean } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'UpstreamError';
    this.kind = kind;
    this.isStale = isStale;
  }
}

/** Callbacks for the response of an instance. Exactly one of `onEnd`, `onUpgrade` and `onError` is called, last. */
export interface UpstreamHandler {
  /**
   * Called when the connection stands and the head was sent. The body may be written from now on, not before, because a body that was
   * read can't be sent again. May not be called for a request without a body.
   */
  onConnected(): void;
  /** Called for a 1xx response other than 100 and 101. */
  onInformation(status: number, rawHeaders: readonly string[]): void;
  onResponse(response: UpstreamResponse): void;
  /** Called with body bytes. The handler pauses the stream to apply backpressure. */
  onData(chunk: Buffer): void;
  /** Called after all data of one read was passed on, so that the handler can flush. */
  onFlush(): void;
  /** Called when the stream accepts body bytes again after `write` returned false. */
  onDrain(): void;
  onEnd(rawTrailers: readonly string[]): void;
  /** Called when the instance switched protocols. The handler owns the connection from here. */
  onUpgrade(response: UpstreamResponse, socket: Duplex, head: Buffer): void;
  onError(error: UpstreamError): void;
  /**
   * Set when `onData` may pass views of memory that is read into again. Without it, the handler gets chunks of its own.
   * Called after each read; returns whether the chunks of that read are still needed, and then the memory is not used again.
   */
  readonly needsChunks?: (() => boolean) | undefined;
}

/** A request under way to an instance. */
export interface UpstreamStream {
  /** Sends body bytes. Returns false when the caller should wait for `onDrain`. */
  write(chunk: Buffer): boolean;
  /** Completes the request's body. */
  end(rawTrailers?: readonly string[]): void;
  /** Pauses and resumes the delivery of the response's body. */
  pause(): void;
  resume(): void;
  /** Aborts the request without further calls of the handler. Idempotent. */
  destroy(): void;
}

/** The connections to one instance. */
export interface Upstream {
  /**
   * Sends a request.
   * @param avoidStale set for a request that must not be sent twice: waits for a kept connection to turn out closed.
   */
  open(request: UpstreamRequest, handler: UpstreamHandler, avoidStale: boolean): UpstreamStream;
  /** Closes connections that have been idle for too long, or all idle ones. Called periodically. */
  prune(all?: boolean): void;
  /** Aborts all requests, whose handlers get `onError`, and closes all connections. Idempotent. */
  destroy(): void;
}
