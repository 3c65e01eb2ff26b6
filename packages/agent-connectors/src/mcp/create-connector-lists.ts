import type { ConnectorListStore, OwnerKey } from '@berth/agent-store';
import { type Clock, createSingleFlight, describeError, type Logger, runInBackground } from '@berth/kit';
import type { ConnectorCaller } from '../connector/caller.ts';
import type { Connector } from '../connector/connector.ts';
import type { ConnectorState } from '../connector/connector-directory.ts';
import type { Grant } from '../connector/grants.ts';
import { NotConnected } from '../connector/not-connected.ts';
import type { ServerClient } from './create-server-client.ts';
import { createLruCache } from './lru-cache.ts';
import { McpError } from './mcp-error.ts';
import { readLists, type ServerLists } from './read-lists.ts';

export interface ConnectorListsDeps {
  readonly servers: ServerClient;
  readonly store: ConnectorListStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * What servers have, as their connectors' owners saw it last. Kept for each credential, beyond a restart; read by one at a
 * time; what is older than its server allows is used once more while it is read anew, so that no turn waits for it.
 */
export interface ConnectorLists {
  /**
   * For a turn. Undefined when nothing is known: the server can't be asked, or takes longer than a turn waits, or it is not
   * connected. Never throws.
   */
  forTurn(caller: ConnectorCaller, state: ListedConnector): Promise<ServerLists | undefined>;
  /**
   * For people who look: as new as the server allows, or the last one when it can't be asked.
   * @throws NotConnected; McpError; `unavailable`.
   */
  read(caller: ConnectorCaller, state: ListedConnector): Promise<ServerLists>;
  /** As they are now. @throws as `read`. */
  readAnew(caller: ConnectorCaller, connector: Connector): Promise<ServerLists>;
}

type ListedConnector = Pick<ConnectorState, 'connector' | 'connectedAs'>;

/** For servers that don't say. */
const TTL_MS = 10 * 60_000;
const MIN_TTL_MS = 60_000;
const MAX_TTL_MS = 24 * 60 * 60_000;
/** After a server could not be asked, for turns. */
const PAUSE_MS = 60_000;
/** As long as a turn waits for what nobody has asked a server before. */
const WAIT_MS = 3_000;
/** What nobody used for so long is forgotten. */
const KEPT_MS = 30 * 24 * 60 * 60_000;
const PURGE_EVERY_MS = 60 * 60_000;
const TIMEOUT_MS = 15_000;
const MAX_BYTES = 10_000_000;
/** Of what is kept, so that it is not read by another version that means something else by it. */
const FORM = 1;

export interface KnownLists {
  readonly lists: ServerLists;
  readonly version: string;
  readonly staleAtMs: number;
}

export function createConnectorLists({ servers, store, clock, logger }: ConnectorListsDeps): ConnectorLists {
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
    // Another instance may have read them since.
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
            'tools or prompts of a server are left out',
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
        // Who connects it now is not to wait.
        if (error instanceof NotConnected) throw error;
        if (paused.size > 1_000) paused.clear();
        paused.set(key, clock.monotonicMs() + PAUSE_MS);
        throw error;
      }
    });
  };

  /** Undefined when it takes too long; a later turn has it then, and does not wait for it again. */
  const soon = async (work: Promise<ServerLists>, key: string): Promise<ServerLists | undefined> => {
    const late = Promise.withResolvers<undefined>();
    const timer = clock.setTimer(WAIT_MS, () => {
      paused.set(key, clock.monotonicMs() + TIMEOUT_MS);
      late.resolve(undefined);
    });
    return await Promise.race([work, late.promise]).finally(() => timer.cancel());
  };

  /** What can't be read stays known as it was; a later turn tries again. */
  const quiet = async (work: Promise<unknown>, { name, title }: Connector): Promise<void> => {
    try {
      await work;
    } catch (error) {
      if (!(error instanceof McpError || error instanceof NotConnected)) throw error;
      logger.warn({ connector: name, error: `${title} ${error.message}` }, 'the tools of a connector are not known');
    }
  };

  return {
    async forTurn(caller, state) {
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
        logger.debug({ connector: name, error: describeError(error) }, 'a turn goes on without a connector');
        return undefined;
      }
    },
    async read(caller, state) {
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
    async readAnew(caller, connector) {
      const { scope: connectedAs } = await servers.open(caller, connector);
      return (await refresh(caller, { connector, connectedAs })).lists;
    },
  };
}

/** A server may say in its lists what it was asked with. What is shorter stands in them by accident. */
function withoutSecrets(lists: ServerLists, { secrets, scrub }: Grant): ServerLists {
  const text = JSON.stringify(lists);
  const isSaid = secrets.some((secret) => secret.length >= 8 && text.includes(secret));
  return isSaid ? (JSON.parse(scrub(text)) as ServerLists) : lists;
}

/** Whose credential is used; nobody's for a server that answers everybody. */
function ownerOf(
  { person, workspace }: ConnectorCaller,
  { auth }: Connector,
  connectedAs: ConnectorState['connectedAs'],
): OwnerKey | '' {
  if (auth.type === 'none') return '';
  return connectedAs === 'workspace' ? workspace.key : person;
}
