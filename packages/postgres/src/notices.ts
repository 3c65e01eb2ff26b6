import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs, describeError, type Logger } from '@berth/kit';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { connectionSettings } from './open-pool.ts';

/** Short messages between the servers of a database. They wake; what they are about is in the tables. */
export interface Notices {
  /**
   * Wakes the subscribers of all servers, this one included.
   * @param payload at most 1,000 characters.
   * @param db a transaction: the subscribers are woken when it is committed, and not when it is rolled back.
   */
  // biome-ignore lint/suspicious/noExplicitAny: handles of every schema, and Kysely's are invariant.
  publish(channel: string, payload: string, db?: Kysely<any>): Promise<void>;
  /**
   * Calls `listener` for each notice, until the returned function is called. An undefined payload: the connection is new, or was lost
   * and is back, so any number of notices may be missing. Notices may be lost or come late: look at the tables now and then as well.
   */
  subscribe(channel: string, listener: (payload: string | undefined) => void): () => void;
}

interface NoticesOptions {
  readonly db: Kysely<unknown>;
  readonly url: string;
  /** Keeps schemas of one database apart. */
  readonly prefix: string;
  readonly logger: Logger;
}

const RECONNECT = { baseMs: 50, maxMs: 1_000 };

/** Creates notices by LISTEN and NOTIFY, with a connection of their own, which opens at the first subscription. */
export function createNotices({ db, url, prefix, logger }: NoticesOptions): Notices & { close(): Promise<void> } {
  const listeners = new Map<string, Set<(payload: string | undefined) => void>>();
  const closing = new AbortController();
  let client: pg.Client | undefined;
  let running: Promise<void> | undefined;
  const nameOf = (channel: string) => `${prefix}.${channel}`;
  const tell = (name: string, payload: string | undefined) => {
    for (const listener of [...(listeners.get(name) ?? [])]) listener(payload);
  };
  const listen = (on: pg.Client, name: string) => on.query(`listen ${on.escapeIdentifier(name)}`);

  /** Listens until the connection ends. */
  async function listenOnce(onListening: () => void): Promise<void> {
    const own = new pg.Client(connectionSettings(url));
    const ended = new Promise<void>((resolve) => own.once('end', resolve));
    // The error of a query or the end says the same.
    own.on('error', () => {});
    own.on('notification', ({ channel, payload }) => tell(channel, payload ?? ''));
    try {
      await own.connect();
      // Closed while it connected: nothing else would end this connection.
      if (closing.signal.aborted) return;
      client = own;
      for (const name of listeners.keys()) await listen(own, name);
      onListening();
      await ended;
    } finally {
      client = undefined;
      await own.end().catch(() => {});
    }
  }

  async function run(): Promise<void> {
    let failures = 0;
    while (!closing.signal.aborted) {
      await listenOnce(() => {
        failures = 0;
        for (const name of listeners.keys()) tell(name, undefined);
      }).catch((error: unknown) => {
        if (failures === 0) logger.warn({ error: describeError(error) }, 'notices cannot be received; will retry');
      });
      await sleep(backoffMs(failures++, RECONNECT), undefined, { signal: closing.signal }).catch(() => {});
    }
  }

  return {
    async publish(channel, payload, handle = db) {
      await sql`select pg_notify(${nameOf(channel)}, ${payload})`.execute(handle);
    },
    subscribe(channel, listener) {
      const name = nameOf(channel);
      const known = listeners.get(name);
      if (known) known.add(listener);
      else listeners.set(name, new Set([listener]));
      if (!known && client) {
        // What was published while the server did not listen yet is looked up.
        listen(client, name).then(
          () => tell(name, undefined),
          () => {},
        );
      }
      running ??= run();
      return () => void listeners.get(name)?.delete(listener);
    },
    async close() {
      closing.abort();
      await client?.end().catch(() => {});
      await running;
    },
  };
}
