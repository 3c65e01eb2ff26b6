import { ReadableStream } from 'node:stream/web';
import type { Clock, Timer } from '@berth/kit';
import { McpError } from './mcp-error.ts';

/** Options of {@link createMcpFetch}. */
export interface McpFetchOptions {
  /** The guarded outbound fetch. */
  readonly fetch: typeof globalThis.fetch;
  /** Attaches the credential. @throws for a URL that isn't on one of the server's origins. */
  authorize(url: URL, headers: Headers): void;
  readonly clock: Clock;
  /** Limit on all responses together. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** Called once with the fault that ends the session. */
  onFault(fault: McpError): void;
}

/** The fetch function of one MCP session. */
export interface McpFetch {
  readonly fetch: typeof globalThis.fetch;
  /** Stops the idle timer. */
  end(): void;
}

/**
 * Maximum number of requests per session. A list of 64 pages needs fewer; a server that makes its client ask forever
 * needs more.
 */
const MAX_REQUESTS = 100;
/** Idle timeout between an incomplete response and the next request: longer than a client's retry delay. */
const IDLE_MS = 5_000;

/**
 * Creates the fetch function of a session with an MCP server, with limits on its requests and bytes. Invariants: (1) a
 * rejected credential ends the session at once, so that no request is repeated without one; (2) so do more bytes or
 * requests than the limits, and responses that end incomplete; (3) no stream is opened for server-initiated messages
 * alone.
 */
export function createMcpFetch(options: McpFetchOptions): McpFetch {
  const { fetch, authorize, clock, maxBytes, signal, onFault } = options;
  let requests = 0;
  let sizeBytes = 0;
  let open = 0;
  let idle: Timer | undefined;
  let isEnded = false;

  const fail = (fault: McpError): McpError => {
    if (!isEnded) onFault(fault);
    return fault;
  };
  const begin = () => {
    idle?.cancel();
    open++;
  };
  const settle = () => {
    if (--open > 0 || isEnded) return;
    idle = clock.setTimer(IDLE_MS, () => fail(new McpError('failed', 'returned an incomplete response')));
  };

  async function* count(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of body) {
        sizeBytes += chunk.byteLength;
        if (sizeBytes > maxBytes) {
          throw fail(new McpError('failed', `answered more than ${Math.round(maxBytes / 1_000_000)} MB`));
        }
        yield chunk;
      }
    } finally {
      settle();
    }
  }

  return {
    async fetch(input, init) {
      const headers = new Headers(init?.headers);
      if (init?.method === 'GET' && !headers.has('last-event-id')) return new Response(null, { status: 405 });
      if (++requests > MAX_REQUESTS)
        throw fail(new McpError('failed', `needs more than ${MAX_REQUESTS} requests for one session`));
      const url = new URL(String(input));
      begin();
      let response: Response;
      try {
        authorize(url, headers);
        const both = init?.signal ? AbortSignal.any([signal, init.signal]) : signal;
        response = await fetch(url, { ...init, headers, signal: both });
      } catch (error) {
        settle();
        throw error;
      }
      const fault = faultOf(response);
      if (fault) {
        await response.body?.cancel().catch(() => {});
        settle();
        throw fail(fault);
      }
      if (!response.body) settle();
      const body = response.body && (ReadableStream.from(count(response.body)) as BodyInit);
      return new Response(body, { status: response.status, headers: response.headers });
    },
    end() {
      isEnded = true;
      idle?.cancel();
    },
  };
}

/** Source: MCP 2025-11-25, "Authorization", 401 and `insufficient_scope`. */
function faultOf({ status, headers }: Response): McpError | undefined {
  if (status === 401) return new McpError('unauthorized', 'requires a new sign-in');
  const challenge = headers.get('www-authenticate') ?? '';
  if (status === 403 && /\berror="?insufficient_scope\b/.test(challenge)) {
    const scopes = /\bscope="([^"]*)"/.exec(challenge)?.[1]?.split(' ') ?? [];
    return new McpError('scope', 'requires more permissions than granted', { scopes });
  }
  return undefined;
}
