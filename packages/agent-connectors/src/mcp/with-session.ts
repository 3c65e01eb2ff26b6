import type { Outbound } from '@berth/agent-core';
import type { Clock } from '@berth/kit';
import { OutboundError } from '@berth/outbound';
import type { Client, PriorDiscovery } from '@modelcontextprotocol/client';
import { McpError } from './mcp-error.ts';
import { createMcpFetch, type McpFetch } from './mcp-fetch.ts';
import { withMcpSpan } from './mcp-span.ts';
import { withTraceMeta } from './trace-meta.ts';

/** The server of a session. */
export interface McpServer {
  readonly url: string;
  /** Attaches the credential. @throws for a URL that isn't on one of the server's origins. */
  authorize(url: URL, headers: Headers): void;
}

/** Options of {@link withMcpSession}. */
export interface McpSessionOptions {
  readonly outbound: Outbound;
  readonly clock: Clock;
  /** Limit on the whole session, from the first byte to the last. */
  readonly timeoutMs: number;
  /** Limit on all responses together. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
  /** Cache of the server's protocol revision. */
  readonly era?: { get(): PriorDiscovery | undefined; set(era: PriorDiscovery | undefined): void };
}

/** An open session. `request` holds the options of each request; `timeout` is in milliseconds. */
export interface McpSession {
  readonly client: Client;
  readonly request: { readonly signal: AbortSignal; readonly timeout: number };
  /** The server's address. */
  readonly server?: URL;
}

const CLIENT = { name: 'berth-agent', version: '1' };
/** Timeout of the version negotiation: a server that doesn't answer it is down. */
const PROBE_MS = 10_000;
const GOODBYE_MS = 2_000;

/**
 * Opens a session with an MCP server, runs `work` in it and closes it. The server can't make requests of its own: the
 * client announces no roots, sampling or elicitation.
 * @throws McpError; the signal's reason.
 */
export async function withMcpSession<Result>(
  server: McpServer,
  options: McpSessionOptions,
  work: (session: McpSession) => Promise<Result>,
): Promise<Result> {
  const { outbound, clock, timeoutMs, maxBytes, signal: outer, era } = options;
  outer?.throwIfAborted();
  // Loaded lazily: the library is large, and most agents have no MCP connector.
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  /** Aborts the request; the server is notified of the cancellation. */
  const asking = new AbortController();
  /** Aborts all network requests, including those that close the session. */
  const network = new AbortController();
  const fault = Promise.withResolvers<never>();
  const end = (error: unknown) => {
    fault.reject(error);
    asking.abort(error);
  };
  fault.promise.catch(() => {});
  const onOuterAbort = () => end(outer?.reason);
  outer?.addEventListener('abort', onOuterAbort, { once: true });
  const timer = clock.setTimer(timeoutMs, () =>
    end(new McpError('failed', `did not answer in ${timeoutMs / 1_000} s`)),
  );
  const mcpFetch = createMcpFetch({
    // This limit is above `maxBytes`, which `mcpFetch` enforces: the library ignores a response that is cut off.
    fetch: outbound.fetchWith({
      ...{ timeoutMs, silenceMs: timeoutMs, maxBytes: 2 * maxBytes, signal: network.signal },
      ownerBody: withTraceMeta,
    }),
    authorize: (url, headers) => server.authorize(url, headers),
    clock,
    maxBytes,
    signal: network.signal,
    onFault: end,
  });
  const client = new Client(CLIENT, {
    versionNegotiation: { mode: 'auto', probe: { timeoutMs: Math.min(PROBE_MS, timeoutMs) } },
    inputRequired: { autoFulfill: false },
  });
  const transport = new StreamableHTTPClientTransport(new URL(server.url), {
    fetch: mcpFetch.fetch,
    onInsufficientScope: 'throw',
  });
  const request = { signal: asking.signal, timeout: timeoutMs };
  try {
    const prior = era?.get();
    const asked = (async () => {
      const session = { client, request, server: new URL(server.url) };
      await withMcpSpan(session, 'initialize', {}, () =>
        client.connect(transport, { ...request, ...(prior && { prior }) }),
      );
      const discover = client.getDiscoverResult();
      era?.set(discover ? { kind: 'modern', discover } : { kind: 'legacy' });
      return work(session);
    })();
    asked.catch(() => {});
    return await Promise.race([asked, fault.promise]);
  } catch (error) {
    if (outer?.aborted) throw outer.reason;
    const told = faultOf(asking.signal.aborted ? asking.signal.reason : error);
    // The server may have been replaced in the meantime.
    if (told.fault === 'failed') era?.set(undefined);
    throw told;
  } finally {
    timer.cancel();
    outer?.removeEventListener('abort', onOuterAbort);
    void sayGoodbye({ client, transport, mcpFetch, clock, network }, isWelcome(asking.signal.reason));
  }
}

interface Goodbye {
  readonly client: Client;
  readonly transport: { readonly sessionId: string | undefined; terminateSession(): Promise<void> };
  readonly mcpFetch: McpFetch;
  readonly clock: Clock;
  readonly network: AbortController;
}

/** Closes the session on the server on a best-effort basis; no caller waits for it. */
async function sayGoodbye(
  { client, transport, mcpFetch, clock, network }: Goodbye,
  hasSession: boolean,
): Promise<void> {
  const timer = clock.setTimer(GOODBYE_MS, () => network.abort(new McpError('failed', 'is left')));
  mcpFetch.end();
  try {
    if (hasSession) await transport.terminateSession();
  } catch {
    // The server expires the session by itself.
  } finally {
    timer.cancel();
    network.abort(new McpError('failed', 'is left'));
    await client.close().catch(() => {});
  }
}

/**
 * Reports whether to close the session on the server. After the server rejected the credential, it would reject that
 * request too.
 */
function isWelcome(reason: unknown): boolean {
  return !(reason instanceof McpError) || reason.fault === 'failed' || reason.fault === 'refused';
}

/** Converts an error of the library. The message quotes the server only where the protocol has a field for it. */
function faultOf(error: unknown): McpError {
  if (error instanceof McpError) return error;
  const cause = { cause: error };
  if (error instanceof OutboundError) return new McpError('failed', `can't be reached: ${error.message}`, cause);
  const { name, code, status, message } = error as {
    name?: string;
    code?: unknown;
    status?: unknown;
    message?: string;
  };
  if (name === 'ProtocolError') return new McpError('refused', `refused: ${message}`, cause);
  if (typeof status === 'number') return new McpError('failed', `answered ${status}`, cause);
  if (code === 'REQUEST_TIMEOUT') return new McpError('failed', 'did not answer in time', cause);
  if (code === 'UNSUPPORTED_RESULT_TYPE') {
    return new McpError('refused', "asks the person for input, which this agent doesn't support", cause);
  }
  return new McpError('failed', 'does not respond like an MCP server', cause);
}
