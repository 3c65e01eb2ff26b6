import type { Outbound } from '@berth/agent-core';
import type { Clock } from '@berth/kit';
import type { PriorDiscovery } from '@modelcontextprotocol/client';
import type { ConnectorCaller } from '../connector/caller.ts';
import type { Connector } from '../connector/connector.ts';
import type { Grant, Grants } from '../connector/grants.ts';
import { NotConnected } from '../connector/not-connected.ts';
import type { WantedScopes } from '../oauth/wanted-scopes.ts';
import { McpError } from './mcp-error.ts';
import { type McpSession, withMcpSession } from './with-session.ts';

/** Dependencies of {@link createServerClient}. */
export interface ServerClientDeps {
  readonly grants: Pick<Grants, 'open' | 'reportRejected'>;
  readonly wantedScopes: Pick<WantedScopes, 'note'>;
  readonly outbound: Outbound;
  readonly clock: Clock;
}

/** Limits of {@link ServerClient.ask}. */
export interface AskOptions {
  /** Per attempt; there are two when the credential had to be renewed. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

/** A client of MCP servers that uses the caller's credentials. */
export interface ServerClient {
  /** Returns the grant for the caller's next request. @throws NotConnected; `unavailable`. */
  open(caller: ConnectorCaller, connector: Connector): Promise<Grant>;
  /**
   * Runs `work` in a session with the server. A credential that the server rejects is renewed once.
   * @throws NotConnected; McpError; the signal's reason; `unavailable` when the credential can't be renewed now.
   */
  ask<Result>(
    caller: ConnectorCaller,
    connector: Connector,
    options: AskOptions,
    work: (session: McpSession, grant: Grant) => Promise<Result>,
  ): Promise<Result>;
}

/** Time after which the server's protocol revision is negotiated again: the server may have been upgraded. */
const ERA_MS = 60 * 60_000;
const MAX_ERAS = 1_000;

/** Creates a client of MCP servers. */
export function createServerClient({ grants, wantedScopes, outbound, clock }: ServerClientDeps): ServerClient {
  const eras = new Map<string, { readonly era: PriorDiscovery; readonly untilMs: number }>();
  /** The revision is cached per credential: a server may answer another one differently. */
  const eraOf = (connector: Connector, { owner, version }: Grant) => {
    const key = JSON.stringify([connector.name, owner, version]);
    const get = () => {
      const known = eras.get(key);
      return known && known.untilMs > clock.monotonicMs() ? known.era : undefined;
    };
    return {
      get,
      set(era: PriorDiscovery | undefined) {
        if (era === undefined) eras.delete(key);
        else if (get()?.kind !== era.kind) {
          if (eras.size >= MAX_ERAS) eras.clear();
          eras.set(key, { era, untilMs: clock.monotonicMs() + ERA_MS });
        }
      },
    };
  };
  const open = async (caller: ConnectorCaller, connector: Connector) => {
    const grant = await grants.open(caller, connector);
    if (!grant) throw new NotConnected(connector);
    return grant;
  };
  return {
    open,
    async ask(caller, connector, options, work) {
      const { server } = connector;
      if (!server) throw new McpError('failed', 'has no server');
      const grant = await open(caller, connector);
      const talk = (held: Grant) =>
        withMcpSession(
          { url: server.url, authorize: (url, headers) => held.authorize(url, headers) },
          { outbound, clock, ...options, era: eraOf(connector, held) },
          (session) => work(session, held),
        ).catch((error: unknown) => {
          if (!(error instanceof McpError)) throw error;
          throw new McpError(error.fault, held.scrub(error.message), { cause: error.cause, scopes: error.scopes });
        });
      try {
        return await talk(grant);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        if (connector.auth.type === 'none')
          throw new McpError('failed', 'requires sign-in, but is declared without it');
        await wantedScopes.note(grant.owner, connector.name, error.scopes);
        const renewed = error.fault === 'unauthorized' && (await grants.reportRejected(connector, grant));
        if (!renewed) throw new NotConnected(connector);
        return await talk(renewed).catch((second: unknown) => {
          throw isRefusal(second) ? new NotConnected(connector) : second;
        });
      }
    },
  };
}

function isRefusal(error: unknown): error is McpError {
  return error instanceof McpError && (error.fault === 'unauthorized' || error.fault === 'scope');
}
