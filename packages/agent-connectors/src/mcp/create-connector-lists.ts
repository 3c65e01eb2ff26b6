import type { ConnectorListStore, OwnerKey } from '@berth/agent-store';
import { type Clock, createSingleFlight, describeError, type Logger, runInBackground } from '@berth/kit';
import type { ConnectorCaller } from '../connector/caller.ts';
import type { Connector } from '../connector/connector.ts';
import type { Grant } from '../connector/grants.ts';
import { NotConnected } from '../connector/not-connected.ts';
import type { ConnectorState } from '../directory/create-connector-directory.ts';
import type { ServerClient } from './create-server-client.ts';
import { createLruCache } from './lru-cache.ts';
import { McpError } from './mcp-error.ts';
import { readLists, type ServerLists } from './read-lists.ts';

/** Dependencies of {@link createConnectorLists}. */
export interface ConnectorListsDeps {
  readonly servers: ServerClient;
  readonly store: ConnectorListStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * A cache of the tools and prompts of MCP servers, per credential, that survives restarts. Concurrent reads of a list
 * share one request. A stale list is used again while it is refreshed, so that no turn waits for it.
 */
export type ConnectorLists = ReturnType<typeof createConnectorLists>;

type ListedConnector = Pick<ConnectorState, 'connector' | 'connectedAs'>;

/** Default for servers that give no TTL. */
const TTL_MS = 10 * 60_000;
const MIN_TTL_MS = 60_000;
const MAX_TTL_MS = 24 * 60 * 60_000;
/** Backoff for turns after a failed read. */
const PAUSE_MS = 60_000;
/** Maximum wait of a turn for a list that isn't cached. */
const WAIT_MS = 3_000;
/** Lists that were last read this long ago are deleted. */
const KEPT_MS = 30 * 24 * 60 * 60_000;
const PURGE_EVERY_MS = 60 * 60_000;
const TIMEOUT_MS = 15_000;
const MAX_BYTES = 10_000_000;
/** Version of the stored format. Rows of another version are ignored. */
const FORM = 1;

/** Cached lists of one credential. */
export interface KnownLists {
  readonly lists: ServerLists;
  readonly version: string;
  readonly staleAtMs: number;
}

/** Creates the cache. See {@link ConnectorLists}. */
export function createConnectorLists({ servers, store, clock, logger }: ConnectorListsDeps) {
  const memory = createLruCache<KnownLists>();
  const flights = createSingleFlight<KnownLists>();
  const paused = new Map<string, number>();

  const keyOf = (caller: ConnectorCaller, { connector, connectedAs }: ListedConnector) => {
    const owner = ownerOf(caller, connector, connectedAs);
    return { owner, key: JSON.stringify([connector.name, owner]) };
  };

  const find = async (caller: ConnectorCaller, state: ListedConnector): Promise<KnownLists | undefined> => {
    const { owner, key } = keyOf(caller, state);
    const known = memory.get(key);
    if (known && known.staleAtMs > clock.nowMs()) return known;
    // Another instance may have refreshed the lists in the meantime.
    const row = await store.find(owner, state.connector.name);
    if (!row || row.server !== state.connector.server?.url || row.staleAtMs <= (known?.staleAtMs ?? 0)) return known;
    const { form, ...lists } = JSON.parse(row.lists) as ServerLists & { readonly form: number };
    if (form !== FORM) return known;
    const { version, staleAtMs } = row;
    return memory.put(key, { lists, version, staleAtMs }, row.lists.length);
  };

  let purgedAtMs = Number.NEGATIVE_INFINITY;
  const purge = async (nowMs: number) => {
    if (nowMs - purgedAtMs < PURGE_EVERY_MS) return;
    purgedAtMs = nowMs;
    await store.purge(nowMs - KEPT_MS);
  };

  const refresh = (caller: ConnectorCaller, state: ListedConnector): Promise<KnownLists> => {
    const { owner, key } = keyOf(caller, state);
    const { connector } = state;
    return flights.run(key, async () => {
      try {
        const limits = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
        const known = await servers.ask(caller, connector, limits, async (session, grant) => {
          const lists = withoutSecrets(await readLists(session), grant);
          const ttlMs = Math.min(MAX_TTL_MS, Math.max(MIN_TTL_MS, lists.ttlMs ?? TTL_MS));
          return { lists, version: grant.version, staleAtMs: clock.nowMs() + ttlMs };
        });
        const { lists, version, staleAtMs } = known;
        if (lists.leftOut > 0) {
          logger.warn(
            { connector: connector.name, leftOut: lists.leftOut },
            'tools or prompts of a server were left out',
          );
        }
        const text = JSON.stringify({ ...lists, form: FORM });
        const nowMs = clock.nowMs();
        const server = connector.server?.url ?? '';
        await store.put(owner, connector.name, { server, version, lists: text, readAtMs: nowMs, staleAtMs });
        await purge(nowMs);
        paused.delete(key);
        return memory.put(key, known, text.length);
      } catch (error) {
        // No backoff: a user who connects now should not have to wait.
        if (error instanceof NotConnected) throw error;
        if (paused.size > 1_000) paused.clear();
        paused.set(key, clock.monotonicMs() + PAUSE_MS);
        throw error;
      }
    });
  };

  /** Returns undefined after `WAIT_MS`. A later turn gets the result, and doesn't wait for it again. */
  const soon = async (work: Promise<ServerLists>, key: string): Promise<ServerLists | undefined> => {
    const late = Promise.withResolvers<undefined>();
    const timer = clock.setTimer(WAIT_MS, () => {
      paused.set(key, clock.monotonicMs() + TIMEOUT_MS);
      late.resolve(undefined);
    });
    return await Promise.race([work, late.promise]).finally(() => timer.cancel());
  };

  /** Logs a failed refresh. The cached lists stay, and a later turn retries. */
  const quiet = async (work: Promise<unknown>, { name, title }: Connector): Promise<void> => {
    try {
      await work;
    } catch (error) {
      if (!(error instanceof McpError || error instanceof NotConnected)) throw error;
      logger.warn(
        { connector: name, error: `${title} ${error.message}` },
        'the tools of a connector could not be listed',
      );
    }
  };

  return {
    /**
     * Returns the lists for a turn. Undefined when nothing is cached and the server can't be reached, isn't connected or
     * takes longer than a turn waits. Never throws.
     */
    async forTurn(caller: ConnectorCaller, state: ListedConnector): Promise<ServerLists | undefined> {
      const { key } = keyOf(caller, state);
      try {
        const known = await find(caller, state);
        if (known && known.staleAtMs > clock.nowMs()) return known.lists;
        const isPaused = (paused.get(key) ?? Number.NEGATIVE_INFINITY) > clock.monotonicMs();
        if (isPaused) return known?.lists;
        const work = refresh(caller, state).then(({ lists }) => lists);
        runInBackground('connector lists', quiet(work, state.connector), logger);
        return known ? known.lists : await soon(work, key);
      } catch (error) {
        const { name } = state.connector;
        logger.debug({ connector: name, error: describeError(error) }, 'a turn continues without a connector');
        return undefined;
      }
    },
    /**
     * Returns the lists for display: within the server's TTL, or the cached ones when the server can't be reached.
     * @throws NotConnected; McpError; `unavailable`.
     */
    async read(caller: ConnectorCaller, state: ListedConnector): Promise<ServerLists> {
      const known = await find(caller, state);
      const isFresh = known && known.staleAtMs > clock.nowMs();
      const version = isFresh && (await servers.open(caller, state.connector)).version;
      if (isFresh && known.version === version) return known.lists;
      try {
        return (await refresh(caller, state)).lists;
      } catch (error) {
        if (known && error instanceof McpError) return known.lists;
        throw error;
      }
    },
    /** Reads the lists from the server, bypassing the cache. @throws as `read`. */
    async readAnew(caller: ConnectorCaller, connector: Connector): Promise<ServerLists> {
      const { scope: connectedAs } = await servers.open(caller, connector);
      return (await refresh(caller, { connector, connectedAs })).lists;
    },
  };
}

/**
 * Removes the credential's secrets, which a server may echo in its lists. Texts shorter than 8 characters could match
 * by accident.
 */
function withoutSecrets(lists: ServerLists, { secrets, scrub }: Grant): ServerLists {
  const text = JSON.stringify(lists);
  const isSaid = secrets.some((secret) => secret.length >= 8 && text.includes(secret));
  return isSaid ? (JSON.parse(scrub(text)) as ServerLists) : lists;
}

/** Returns the credential's owner; empty for a server without authentication. */
function ownerOf(
  { person, workspace }: ConnectorCaller,
  { auth }: Connector,
  connectedAs: ConnectorState['connectedAs'],
): OwnerKey | '' {
  if (auth.type === 'none') return '';
  return connectedAs === 'workspace' ? workspace.key : person;
}
