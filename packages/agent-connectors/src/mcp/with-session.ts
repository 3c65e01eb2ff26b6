import type { Outbound } from '@berth/agent-core';
import type { Clock } from '@berth/kit';
import { OutboundError } from '@berth/outbound';
import type { Client, PriorDiscovery } from '@modelcontextprotocol/client';
import { McpError } from './mcp-error.ts';
import { createMcpFetch, type McpFetch } from './mcp-fetch.ts';

export interface McpServer {
  readonly url: string;
  /** Attaches the credential. @throws for an address that isn't of the server's. */
  authorize(url: URL, headers: Headers): void;
}

export interface McpSessionOptions {
  readonly outbound: Outbound;
  readonly clock: Clock;
  /** Of all of it, from the first byte to the last. */
  readonly timeoutMs: number;
  /** Of all answers together. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
  /** What is known of the server's revision of the protocol, and where it is kept when it was found out. */
  readonly era?: { get(): PriorDiscovery | undefined; set(era: PriorDiscovery | undefined): void };
}

/** What an asked server may do with. `timeoutMs` is what is left. */
export interface McpSession {
  readonly client: Client;
  readonly request: { readonly signal: AbortSignal; readonly timeout: number };
}

const CLIENT = { name: 'berth-agent', version: '1' };
/** Until a server says which revision it speaks: one that is silent is down. */
const PROBE_MS = 10_000;
const GOODBYE_MS = 2_000;

/**
 * A conversation with an MCP server: begun, used and ended. In it the server can ask for nothing: it is told that this client
 * has no roots, samples nothing and elicits nothing.
 * @throws McpError; the signal's reason.
 */
export async function withMcpSession<Result>(
  server: McpServer,
  options: McpSessionOptions,
  work: (session: McpSession) => Promise<Result>,
): Promise<Result> {
  const { outbound, clock, timeoutMs, maxBytes, signal: outer, era } = options;
  outer?.throwIfAborted();
  // It is large, and most agents have no such connector.
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  /** Of what is asked; the server is told when it is not wanted any more. */
  const asking = new AbortController();
  /** Of the requests, those of the goodbye too. */
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
    // Its bound is beyond the one that is told: the library passes over an answer that breaks off.
    fetch: outbound.fetchWith({ timeoutMs, silenceMs: timeoutMs, maxBytes: 2 * maxBytes, signal: network.signal }),
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
      await client.connect(transport, { ...request, ...(prior && { prior }) });
      const discover = client.getDiscoverResult();
      era?.set(discover ? { kind: 'modern', discover } : { kind: 'legacy' });
      return work({ client, request });
    })();
    asked.catch(() => {});
    return await Promise.race([asked, fault.promise]);
  } catch (error) {
    if (outer?.aborted) throw outer.reason;
    const told = faultOf(asking.signal.aborted ? asking.signal.reason : error);
    // It may have been another server in the meantime.
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

/** Ends the session there, as well as that goes; nobody waits for it. */
async function sayGoodbye(
  { client, transport, mcpFetch, clock, network }: Goodbye,
  hasSession: boolean,
): Promise<void> {
  const timer = clock.setTimer(GOODBYE_MS, () => network.abort(new McpError('failed', 'is left')));
  mcpFetch.end();
  try {
    if (hasSession) await transport.terminateSession();
  } catch {
    // A session that was not ended ends by itself.
  } finally {
    timer.cancel();
    network.abort(new McpError('failed', 'is left'));
    await client.close().catch(() => {});
  }
}

/** Not after it refused the credential: it would refuse the goodbye too. */
function isWelcome(reason: unknown): boolean {
  return !(reason instanceof McpError) || reason.fault === 'failed' || reason.fault === 'refused';
}

/** Of an error of the library's. What a server said is in it only where the protocol has a place for that. */
function faultOf(error: unknown): McpError {
  if (error instanceof McpError) return error;
  const cause = { cause: error };
  if (error instanceof OutboundError) return new McpError('failed', `can not be asked: ${error.message}`, cause);
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
    return new McpError('refused', 'wants to ask the person something, which this agent does not pass on', cause);
  }
  return new McpError('failed', 'does not answer as an MCP server does', cause);
}
