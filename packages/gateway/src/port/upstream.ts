import type { Duplex } from 'node:stream';

/** A request as it goes to an instance. Header lists are flat: name, value, name, value, in wire order. */
export interface UpstreamRequest {
  readonly method: string;
  /** Origin form: path and query, or `*`. */
  readonly path: string;
  /** End-to-end headers only, `Host` among them; framing headers are {@link body}'s. */
  readonly headers: readonly string[];
  /** How the body is framed: its length in bytes, `chunked` when it is not known, `none` when there is no body. */
  readonly body: number | 'chunked' | 'none';
  /** Value of `Upgrade`, to ask for a tunnel. */
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
 * Why an exchange with an instance ended early:
 * `connect` nothing of the request was sent; `refused` the instance says that it did nothing with it; `reset` it was
 * sent, but no byte of a response came; `truncated` the response broke off; `protocol` the response is not HTTP.
 */
export type UpstreamErrorKind = 'connect' | 'refused' | 'reset' | 'truncated' | 'protocol';

export class UpstreamError extends Error {
  readonly kind: UpstreamErrorKind;
  /**
   * Of a `reset`: the instance had closed an idle connection that the request was sent on, so nothing of the request was read.
   * A guess from the outside: see `Http1Connection`.
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

/** Takes what an instance answers. Exactly one of `onEnd`, `onUpgrade`, `onError` is called, last. */
export interface UpstreamHandler {
  /**
   * The instance is reached and the head was sent: a body may be written now, and not before, for a body that was read can't be sent
   * again. Not called for every request without a body.
   */
  onConnected(): void;
  /** A 1xx other than 100 and 101. */
  onInformation(status: number, rawHeaders: readonly string[]): void;
  onResponse(response: UpstreamResponse): void;
  /** Body bytes; the handler pauses the stream when it has enough. */
  onData(chunk: Buffer): void;
  /** What arrived together was handed over: now is the time to flush. */
  onFlush(): void;
  /** The stream takes request body bytes again after a `write` that answered false. */
  onDrain(): void;
  onEnd(rawTrailers: readonly string[]): void;
  /** The instance switched protocols: the connection is the handler's from here. */
  onUpgrade(response: UpstreamResponse, socket: Duplex, head: Buffer): void;
  onError(error: UpstreamError): void;
}

/** One request under way. */
export interface UpstreamStream {
  /** Sends body bytes; false: wait for `onDrain`. */
  write(chunk: Buffer): boolean;
  /** The request's body is complete. */
  end(rawTrailers?: readonly string[]): void;
  /** Stops and continues the handing over of the response's body. */
  pause(): void;
  resume(): void;
  /** Breaks it off; the handler hears nothing more. Idempotent. */
  destroy(): void;
}

/** The way to one instance: its connections. */
export interface Upstream {
  /**
   * @param avoidStale for a request that must not be sent twice: gives a kept connection the chance to be found closed.
   */
  open(request: UpstreamRequest, handler: UpstreamHandler, avoidStale: boolean): UpstreamStream;
  /** Closes connections that have been idle for too long, or every idle one. Called now and then. */
  prune(all?: boolean): void;
  /** Breaks off all that is under way (its handlers hear `onError`), closes everything. Idempotent. */
  destroy(): void;
}
