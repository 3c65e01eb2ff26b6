import { randomUUID } from 'node:crypto';
import type { Database, Notices } from '@berth/database';
import type { Clock } from '@berth/kit';
import { type Expression, type Kysely, sql } from 'kysely';

/** The servers that use one database, as one of them sees them. */
export interface Cluster {
  /** True when no other server can use the database. Nothing is published or polled for then. */
  readonly isAlone: boolean;
  /** The owner of this server's leases, new at each start. */
  readonly owner: string;
  /** The time that leases are compared with: the database's when servers with different clocks share it. */
  nowMs(): Expression<number>;
  /** Wakes the other servers' subscribers when `transaction` is committed, and this server's too. */
  publish(channel: Channel, payload: string, transaction: Kysely<Database>): Promise<void>;
  /**
   * Calls `listener` for each notice of another server, until the returned function is called. An undefined payload: any number of
   * notices may be missing. Poll the tables as well.
   */
  subscribe(channel: Channel, listener: (payload: string | undefined) => void): () => void;
}

/**
 * The subject of a notice, which decides its payload. `deploys`: the id of a deploy with new events or a request to cancel, or empty when
 * a server released its deploys; `routes`: the name of a deployment; `certificates`: the host name; the others have none.
 */
export type Channel = 'deploys' | 'routes' | 'domains' | 'certificates' | 'identity_keys' | 'partitions';

/** The longest time between polls for changes by other servers that a person waits for. */
export const POLL_MS = 1_000;

/** Creates the cluster of a server that has its database to itself. */
export function createSoleCluster(clock: Pick<Clock, 'nowMs'>): Cluster {
  return {
    isAlone: true,
    owner: randomUUID(),
    nowMs: () => sql<number>`cast(${clock.nowMs()} as bigint)`,
    publish: async () => {},
    subscribe: () => () => {},
  };
}

/**
 * Creates the cluster of a server that shares a Postgres database with others.
 * @param serverId identifies this server among them, the same at each start.
 */
export function createCluster(notices: Notices, serverId: string): Cluster {
  return {
    isAlone: false,
    owner: `${serverId}:${randomUUID()}`,
    // Not now(), which stands still within a transaction.
    nowMs: () => sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
    publish: (channel, payload, transaction) => notices.publish(channel, payload, transaction),
    subscribe: (channel, listener) => notices.subscribe(channel, listener),
  };
}

/** Returns the time `laterMs` from now by the clock of leases. */
export function leaseTime(cluster: Pick<Cluster, 'nowMs'>, laterMs: number): Expression<number> {
  return sql<number>`${cluster.nowMs()} + cast(${laterMs} as bigint)`;
}

/**
 * Ends the leases of earlier starts of this server, so that their work goes on at once instead of when the leases expire. Only right while
 * no process of an earlier start is alive.
 */
export async function endFormerLeases(db: Kysely<Database>, { owner, isAlone }: Cluster): Promise<void> {
  if (isAlone) return;
  const former = `${owner.slice(0, owner.indexOf(':') + 1)}%`;
  await db.transaction().execute(async (transaction) => {
    await transaction
      .updateTable('deploys')
      .set({ lease_expires_at: 0 })
      .where('ended_at', 'is', null)
      .where('lease_owner', 'like', former)
      .where('lease_owner', '!=', owner)
      .execute();
    await transaction
      .updateTable('schedule_runs')
      .set({ lease_expires_at: 0 })
      .where('lease_owner', 'like', former)
      .where('lease_owner', '!=', owner)
      .execute();
    await transaction
      .updateTable('leases')
      .set({ expires_at: 0 })
      .where('owner', 'like', former)
      .where('owner', '!=', owner)
      .execute();
  });
}
