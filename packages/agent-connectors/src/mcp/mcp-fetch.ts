import { ReadableStream } from 'node:stream/web';
import type { Clock, Timer } from '@berth/kit';
import { McpError } from './mcp-error.ts';

export interface McpFetchOptions {
  /** The guarded way out. */
  readonly fetch: typeof globalThis.fetch;
  /** Attaches the credential. @throws for an address that isn't of the server's. */
  authorize(url: URL, headers: Headers): void;
  readonly clock: Clock;
  /** Of all answers together. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** Told what ends the conversation, once. */
  onFault(fault: McpError): void;
}

export interface McpFetch {
  readonly fetch: typeof globalThis.fetch;
  /** Nothing more is waited for. */
  end(): void;
}

/** Requests of one conversation. A list of 64 pages takes fewer; a server that has its client ask for ever takes more. */
const MAX_REQUESTS = 100;
/** Between the end of an answer that did not answer and the next request: longer than a client waits to ask again. */
const IDLE_MS = 5_000;

/**
 * The requests of one conversation with an MCP server, counted and bounded. Invariants: (1) a refused credential ends the
 * conversation at once, so that nothing is asked twice without one; (2) so do more bytes or requests than are allowed, and
 * answers that end without an answer; (3) no stream is opened that only the server would speak on.
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
    idle = clock.setTimer(IDLE_MS, () => fail(new McpError('failed', 'ended its answer before it was complete')));
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
      if (++requests > MAX_REQUESTS) throw fail(new McpError('failed', `had itself asked ${MAX_REQUESTS} times`));
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
  if (status === 401) return new McpError('unauthorized', 'wants another sign-in');
  const challenge = headers.get('www-authenticate') ?? '';
  if (status === 403 && /\berror="?insufficient_scope\b/.test(challenge)) {
    const scopes = /\bscope="([^"]*)"/.exec(challenge)?.[1]?.split(' ') ?? [];
    return new McpError('scope', 'wants more rights than were given', { scopes });
  }
  return undefined;
}
