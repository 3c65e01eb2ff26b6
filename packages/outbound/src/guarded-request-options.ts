import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '@berth/kit';
import type { GuardedConnections } from './guarded-connections.ts';

/** A request that is made because somebody who isn't trusted asked for it. */
export interface GuardedRequestOptions {
  /** Without credentials. */
  readonly url: string;
  /** The only ones that are spoken, redirects included: `http:`, `https:`. */
  readonly protocols: readonly string[];
  readonly method?: string;
  /** Those of the connection (`Host`, `Connection`, …) are not the caller's to say. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A stream is read when the connection stands, and only once. */
  readonly body?: Uint8Array | AsyncIterable<Uint8Array>;
  /** The addresses of a host name. */
  resolve(host: string): Promise<readonly string[]>;
  /** Judges each address of a name, and the far end of the connection. @throws OutboundError to say more than "not public" */
  isAllowed(address: string, url: URL): boolean;
  /** Connections to use again; without them each request has its own. */
  readonly connections?: GuardedConnections;
  readonly clock?: Clock;
  /** Until the answer begins: names, connecting, redirects. */
  readonly timeoutMs: number;
  /** Of the far end while its answer is waited for; `timeoutMs` by default. Slow readers don't count. */
  readonly silenceMs?: number;
  /** For all of it, the answer's end included; no bound by default. */
  readonly totalMs?: number;
  /** Of the answer's body; no bound by default. */
  readonly maxBytes?: number;
  /** Redirects that are followed, each judged as the first address is; none by default: then they are the answer. */
  readonly maxRedirects?: number;
  readonly signal?: AbortSignal;
}

/** An answer whose body is on its way. */
export interface GuardedResponse {
  /** Where it came from, after redirects. */
  readonly url: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /**
   * Can be read once, at the reader's pace; or it has to be discarded. Ends with OutboundError, or the signal's reason.
   */
  readonly body: AsyncIterable<Uint8Array>;
  /** Leaves the rest, and closes the connection when there is some. */
  discard(): void;
}
