import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '@berth/kit';
import type { GuardedConnections } from './guarded-connections.ts';

/** A request on behalf of an untrusted party. */
export interface GuardedRequestOptions {
  /** Without credentials. */
  readonly url: string;
  /** Allowed protocols, also for redirects: `http:`, `https:`. */
  readonly protocols: readonly string[];
  readonly method?: string;
  /** Headers of the connection (`Host`, `Connection`, …) are ignored. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A stream is read once, after the connection is open. */
  readonly body?: Uint8Array | AsyncIterable<Uint8Array>;
  /** Resolves the addresses of a host name. */
  resolve(host: string): Promise<readonly string[]>;
  /**
   * Checks each address of a name, and the remote address of the connection. @throws OutboundError to say more than
   * "not public"
   */
  isAllowed(address: string, url: URL): boolean;
  /** Returns headers to add for an address that `isAllowed` accepts. */
  headersFor?(address: string): Readonly<Record<string, string>>;
  /** Returns the body to send, in place of `body`, to an address that `isAllowed` accepts; undefined to send `body`. */
  bodyFor?(address: string): Uint8Array | undefined;
  /** Connections to reuse; without them each request opens its own. */
  readonly connections?: GuardedConnections;
  readonly clock?: Clock;
  /** Timeout until the response begins: names, connecting, redirects. */
  readonly timeoutMs: number;
  /** Maximum silence of the server during the response. Default: `timeoutMs`. Slow readers don't count. */
  readonly silenceMs?: number;
  /** Timeout for everything, including the end of the response; unlimited by default. */
  readonly totalMs?: number;
  /** Maximum bytes of the response's body; unlimited by default. */
  readonly maxBytes?: number;
  /**
   * Maximum redirects to follow, each checked like the first address. Default: none, so that a redirect is returned.
   */
  readonly maxRedirects?: number;
  readonly signal?: AbortSignal;
}

/** A response whose body is still arriving. */
export interface GuardedResponse {
  /** Final URL, after redirects. */
  readonly url: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /**
   * Can be read once, at the reader's pace; otherwise it must be discarded. Ends with OutboundError, or the signal's
   * reason.
   */
  readonly body: AsyncIterable<Uint8Array>;
  /** Skips the rest, and closes the connection when there is some. */
  discard(): void;
}
