import type { Database } from '@berth/database';
import { type Clock, describeError, type Logger, runInBackground, type Timer } from '@berth/kit';
import { type Kysely, sql } from 'kysely';
import { type Cluster, leaseTime } from './cluster.ts';

/** Thrown to a holder whose lease another server has taken: it must stop and write nothing. */
export class LeaseTakenError extends Error {
  constructor(name: string) {
    super(`another server has taken the lease "${name}"`);
    this.name = 'LeaseTakenError';
  }
}

/** A lease while its work runs. */
export interface HeldLease {
  /** Aborts when the lease is lost, or may be because the database can't be reached. */
  readonly signal: AbortSignal;
  /** Call it in every transaction that writes. @throws LeaseTakenError when another server has taken the lease. */
  require(transaction: Kysely<Database>): Promise<void>;
}

/**
 * Work that one of several servers does at a time.
 *
 * N1 At most one holder of a name can write: a lease that was taken from a paused server has a higher epoch.
 * N2 The work of a server that was killed is free for another after the lease.
 * N3 A server that is alone takes no lease and writes nothing.
 */
export interface Leases {
  /**
   * Runs `work` unless another server holds `name`; returns undefined then.
   * @throws what `work` throws.
   */
  run<Value>(name: string, work: (lease: HeldLease) => Promise<Value>): Promise<{ readonly value: Value } | undefined>;
}

/** Options of {@link createLeases}. */
export interface LeasesOptions {
  readonly db: Kysely<Database>;
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long a lease holds without being renewed; 30 s by default. */
  readonly leaseMs?: number;
}

const DEFAULT_LEASE_MS = 30_000;

export function createLeases({ db, cluster, clock, logger, leaseMs = DEFAULT_LEASE_MS }: LeasesOptions): Leases {
  const { owner } = cluster;
  const heldBy = (name: string, epoch: number) => (handle: Kysely<Database>) =>
    handle
      .selectFrom('leases')
      .select('epoch')
      .where('name', '=', name)
      .where('owner', '=', owner)
      .where('epoch', '=', epoch)
      .executeTakeFirst();

  /** Returns the epoch, or undefined while another holder's lease has not expired. */
  const take = async (name: string): Promise<number | undefined> => {
    const row = await db
      .insertInto('leases')
      .values({ name, owner, epoch: 1, expires_at: leaseTime(cluster, leaseMs) })
      .onConflict((conflict) =>
        conflict
          .column('name')
          .doUpdateSet((eb) => ({
            owner,
            epoch: eb('leases.epoch', '+', 1),
            expires_at: eb.ref('excluded.expires_at'),
          }))
          .where('leases.expires_at', '<=', cluster.nowMs()),
      )
      .returning('epoch')
      .executeTakeFirst();
    return row?.epoch;
  };
  /** Sets the expiry; false when the lease was taken. */
  const set = async (name: string, epoch: number, laterMs: number): Promise<boolean> => {
    const row = await db
      .updateTable('leases')
      .set({ expires_at: laterMs === 0 ? sql<number>`0` : leaseTime(cluster, laterMs) })
      .where('name', '=', name)
      .where('owner', '=', owner)
      .where('epoch', '=', epoch)
      .returning('epoch')
      .executeTakeFirst();
    return row !== undefined;
  };

  return {
    async run(name, work) {
      if (cluster.isAlone) {
        const { signal } = new AbortController();
        return { value: await work({ signal, require: async () => {} }) };
      }
      // Read before the query, so that this server considers the lease lost before the database does.
      let renewedMs = clock.monotonicMs();
      const epoch = await take(name);
      if (epoch === undefined) return undefined;
      const lost = new AbortController();
      let timer: Timer | undefined;
      let isOver = false;
      const renew = async () => {
        const startedMs = clock.monotonicMs();
        try {
          if (await set(name, epoch, leaseMs)) renewedMs = startedMs;
          else lost.abort(new LeaseTakenError(name));
        } catch (error) {
          logger.warn({ lease: name, error: describeError(error) }, 'a lease could not be renewed');
          if (clock.monotonicMs() - renewedMs >= leaseMs) lost.abort(new LeaseTakenError(name));
        }
        if (!isOver && !lost.signal.aborted) beat();
      };
      const beat = () => {
        timer = clock.setTimer(leaseMs / 3, () => runInBackground(`lease ${name}`, renew(), logger));
      };
      beat();
      try {
        const isHeld = heldBy(name, epoch);
        return {
          value: await work({
            signal: lost.signal,
            async require(transaction) {
              if (lost.signal.aborted || !(await isHeld(transaction))) throw new LeaseTakenError(name);
            },
          }),
        };
      } finally {
        isOver = true;
        timer?.cancel();
        await set(name, epoch, 0).catch((error: unknown) =>
          logger.warn({ lease: name, error: describeError(error) }, 'a lease could not be released; it expires'),
        );
      }
    },
  };
}
