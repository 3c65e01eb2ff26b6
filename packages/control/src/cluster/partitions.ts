import { createHash } from 'node:crypto';
import { type Database, type LeaseThread, SCHEMA } from '@berth/database';
import { type Clock, describeError, type Logger, runInBackground, type Timer } from '@berth/kit';
import type { CompiledQuery, Kysely } from 'kysely';
import { type Cluster, leaseTime } from './cluster.ts';

/** Number of partitions. More would spread services more evenly, and cost more rows to renew. */
export const PARTITIONS = 256;
const LEASE_MS = 3_000;

/** A gateway that is alive. */
export interface GatewayPeer {
  readonly id: string;
  /** Host and port at which other gateways reach it. */
  readonly address: string;
}

/** A partition and the epoch in which this gateway has it. */
export interface HeldPartition {
  readonly number: number;
  readonly epoch: number;
}

/** Options of {@link createPartitions}. */
export interface PartitionsOptions {
  readonly db: Kysely<Database>;
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly self: GatewayPeer;
  /** How long a gateway counts as alive without a sign of life; 3 s by default. */
  readonly leaseMs?: number;
  /** Runs this query every third of the lease, from the first round on, while this event loop is busy; it changes one row or none. */
  readonly renewBeside?: (renewal: CompiledQuery) => LeaseThread;
  /** Asks all other live gateways to {@link Partitions.agree}. Resolves with false when one does not, or not in time. */
  readonly askOthers?: (withinMs: number) => Promise<boolean>;
  /** Called after each change of the live gateways or of the owners of partitions. Must not throw. */
  onChange(): void;
  /** Called with partitions that this gateway has from now on. Must not throw. */
  onTaken(partitions: readonly HeldPartition[]): void;
  /** Called with partitions that another gateway may have taken already: nothing may be started or stopped in them any more. Must not throw. */
  onLost(partitions: readonly number[]): void;
  /** Ends the work in partitions that another gateway should have. They are given up when it resolves. */
  giveUp(partitions: readonly number[]): Promise<void>;
}

/**
 * Spreads the services over the live gateways, by partitions and rendezvous hashing.
 *
 * P1 At most one gateway has a partition. The transaction that takes it sees that its owner is not alive by the clock of the database, and
 *    that owner has stopped by its own clock.
 * P2 The partitions of a gateway that was killed are free for another after the lease.
 * P3 While none of the live gateways can reach the database, each keeps what it has: they agree to take nothing, until each had
 *    the time to renew its lease. A gateway that starts in just that time may count beside another one until that one's next round.
 * P4 A gateway that comes or goes moves only the partitions that it gets or had.
 */
export interface Partitions {
  /** The gateways that are alive, this one included. */
  readonly peers: readonly GatewayPeer[];
  /** Returns who counts the requests of a deployment; undefined while no live gateway does. */
  ownerOf(deployment: string): GatewayPeer | undefined;
  isHeld(deployment: string): boolean;
  /** Whether this gateway can't reach the database either. It then takes nothing for the time of a lease. */
  agree(): Promise<boolean>;
  /** Joins the other gateways. Resolves after the first round. */
  start(): Promise<void>;
  /** Leaves the other gateways: gives up all partitions, one round after another. Idempotent. */
  close(): Promise<void>;
}

/** Returns the partition of a deployment. */
export function partitionOf(deployment: string): number {
  return createHash('sha256').update(deployment).digest().readUInt32BE() % PARTITIONS;
}

/** Returns the gateway that should have a partition; undefined when there is none. */
export function rightfulOwner(partition: number, gateways: readonly string[]): string | undefined {
  let best: { readonly id: string; readonly score: string } | undefined;
  for (const id of gateways) {
    const score = createHash('sha256').update(`${partition}/${id}`).digest('hex');
    if (!best || score > best.score) best = { id, score };
  }
  return best?.id;
}

export function createPartitions(options: PartitionsOptions): Partitions {
  const { db, cluster, clock, logger, self, leaseMs = LEASE_MS } = options;
  let peers: readonly GatewayPeer[] = [self];
  /** Owners by partition. */
  let owners: readonly string[] = [];
  const held = new Map<number, number>();
  const givingUp = new Set<number>();
  let renewedMs = Number.NEGATIVE_INFINITY;
  /** When the others were asked for the last time that all agreed. */
  let agreedMs = Number.NEGATIVE_INFINITY;
  /** Until when nothing is taken, and everyone in the database counts as alive. */
  let deferredToMs = Number.NEGATIVE_INFINITY;
  let isFailing = false;
  let isCommitting = false;
  let beside: LeaseThread | undefined;
  let expiry: Timer | undefined;
  let timer: Timer | undefined;
  let running: Promise<void> | undefined;
  let isDue = false;
  let isLeaving = false;
  let isClosed = false;

  const sinceRenewalMs = () =>
    Math.min(clock.monotonicMs() - renewedMs, beside?.sinceRenewalMs() ?? Number.POSITIVE_INFINITY);
  const endMs = () => Math.max(clock.monotonicMs() - sinceRenewalMs(), agreedMs) + leaseMs;
  const isDeferring = () => clock.monotonicMs() < deferredToMs;
  const lose = (partitions: readonly number[]) => {
    if (partitions.length === 0) return;
    for (const partition of partitions) held.delete(partition);
    options.onLost(partitions);
  };

  /** Reads and writes both tables at once. Returns what changed. */
  const exchange = () =>
    db.transaction().execute(async (transaction) => {
      isCommitting = false;
      const defers = isDeferring();
      const expires = leaseTime(cluster, leaseMs);
      await transaction
        .insertInto('gateways')
        .values({ ...self, is_leaving: Number(isLeaving), expires_at: expires as never })
        .onConflict((conflict) =>
          conflict.column('id').doUpdateSet({ is_leaving: Number(isLeaving), expires_at: expires as never }),
        )
        .execute();
      if (!defers) await transaction.deleteFrom('gateways').where('expires_at', '<=', cluster.nowMs()).execute();
      const alive = await transaction.selectFrom('gateways').select(['id', 'address', 'is_leaving']).execute();
      const staying = alive.filter(({ is_leaving: leaves }) => leaves === 0).map(({ id }) => id);
      const rows = await transaction.selectFrom('partitions').select(['number', 'owner', 'epoch']).execute();
      const isAlive = new Set(alive.map(({ id }) => id));
      const taken = new Map(rows.filter(({ owner }) => isAlive.has(owner)).map(({ number, owner }) => [number, owner]));
      const known = rows.filter(({ owner }) => owner === self.id).map(({ number, epoch }) => ({ number, epoch }));
      const free = Array.from({ length: PARTITIONS }, (_, number) => number).filter(
        (number) => !defers && !taken.has(number) && rightfulOwner(number, staying) === self.id,
      );
      const got =
        free.length === 0
          ? []
          : await transaction
              .insertInto('partitions')
              .values(free.map((number) => ({ number, owner: self.id, epoch: 1 })))
              .onConflict((conflict) =>
                conflict
                  .column('number')
                  .doUpdateSet((eb) => ({ owner: self.id, epoch: eb('partitions.epoch', '+', 1) })),
              )
              .returning(['number', 'epoch'])
              .execute();
      if (got.length > 0) await cluster.publish('partitions', '', transaction);
      for (const { number } of got) taken.set(number, self.id);
      if (isDeferring() !== defers) throw new Error('another gateway asked meanwhile to take nothing');
      isCommitting = true;
      return { alive, staying, taken, mine: [...known, ...got] };
    });

  /** Gives partitions up that another gateway should have, once their work here has ended. */
  const handOver = async (partitions: readonly number[]) => {
    try {
      await options.giveUp(partitions);
      const epochs = new Map(partitions.map((partition) => [partition, held.get(partition)]));
      lose(partitions.filter((partition) => held.has(partition)));
      await db.transaction().execute(async (transaction) => {
        for (const [number, epoch] of epochs) {
          if (epoch === undefined) continue;
          await transaction
            .updateTable('partitions')
            .set({ owner: '' })
            .where('number', '=', number)
            .where('owner', '=', self.id)
            .where('epoch', '=', epoch)
            .execute();
        }
        await cluster.publish('partitions', '', transaction);
      });
    } finally {
      for (const partition of partitions) givingUp.delete(partition);
    }
  };

  const round = async () => {
    // Read before the queries, so that this gateway considers its leases over before the database does.
    const startedMs = clock.monotonicMs();
    // The others may have been cut off from the database as long as this one.
    if (renewedMs > 0 && sinceRenewalMs() > leaseMs) deferredToMs = startedMs + leaseMs;
    const { alive, staying, taken, mine } = await exchange().finally(() => {
      isCommitting = false;
    });
    renewedMs = startedMs;
    isFailing = false;
    armExpiry();
    peers = alive.map(({ id, address }) => ({ id, address }));
    owners = Array.from({ length: PARTITIONS }, (_, number) => taken.get(number) ?? '');
    const epochs = new Map(mine.map(({ number, epoch }) => [number, epoch]));
    lose([...held].filter(([number, epoch]) => epochs.get(number) !== epoch).map(([number]) => number));
    const added = mine.filter(({ number }) => !held.has(number));
    for (const { number, epoch } of added) held.set(number, epoch);
    if (added.length > 0) options.onTaken(added);
    options.onChange();
    const surplus = [...held.keys()].filter(
      (number) => !givingUp.has(number) && rightfulOwner(number, staying) !== self.id && staying.length > 0,
    );
    if (surplus.length === 0) return;
    for (const number of surplus) givingUp.add(number);
    runInBackground('give up partitions', handOver(surplus).then(wake), logger);
  };

  /** Asks the others before the leases are over, and loses everything when they are. */
  const armExpiry = (): void => {
    expiry?.cancel();
    expiry = clock.setTimer(Math.max(0, endMs() - leaseMs / 3 - clock.monotonicMs()), () => {
      if (clock.monotonicMs() < endMs() - leaseMs / 3) armExpiry();
      else {
        runInBackground('ask the other gateways', ask(), logger);
        expiry = clock.setTimer(Math.max(0, endMs() - clock.monotonicMs()), expire);
      }
    });
  };
  const ask = async () => {
    const askedMs = clock.monotonicMs();
    if (!options.askOthers || !(await options.askOthers(leaseMs / 3)) || isClosed) return;
    if (askedMs >= endMs()) return;
    if (agreedMs < renewedMs) logger.warn({}, 'no gateway reaches the database; each keeps its services until then');
    agreedMs = askedMs;
    deferredToMs = Math.max(deferredToMs, askedMs + leaseMs);
    armExpiry();
  };
  const expire = (): void => {
    if (clock.monotonicMs() < endMs()) {
      armExpiry();
      return;
    }
    logger.warn({ partitions: held.size }, 'the leases of this gateway could not be renewed in time');
    lose([...held.keys()]);
    peers = [self];
    owners = [];
    options.onChange();
  };

  const run = async () => {
    do {
      isDue = false;
      await round().catch((error: unknown) => {
        isFailing = true;
        logger.warn({ error: describeError(error) }, 'the leases of this gateway could not be renewed; will retry');
      });
    } while (isDue && !isClosed);
    running = undefined;
    if (!isClosed) timer = clock.setTimer(leaseMs / 3, wake);
  };
  function wake(): void {
    isDue = true;
    if (running || isClosed) return;
    timer?.cancel();
    running = run();
    runInBackground('renew leases of partitions', running, logger);
  }

  let unsubscribe = () => {};
  let closed: Promise<void> | undefined;
  const leave = async () => {
    isLeaving = true;
    wake();
    await running;
    // Without another gateway nobody waits for them.
    const left = [...held.keys()].filter((number) => !givingUp.has(number));
    for (const number of left) givingUp.add(number);
    await handOver(left);
    while (givingUp.size > 0) await clock.sleep(LEAVE_POLL_MS);
    isClosed = true;
    unsubscribe();
    await running;
    timer?.cancel();
    expiry?.cancel();
    await beside?.close();
    await db.deleteFrom('gateways').where('id', '=', self.id).execute();
  };

  return {
    get peers() {
      return peers;
    },
    ownerOf(deployment) {
      const owner = owners[partitionOf(deployment)];
      return peers.find(({ id }) => id === owner);
    },
    // The clock decides: a gateway that was paused may run before its timer does.
    isHeld: (deployment) => held.has(partitionOf(deployment)) && clock.monotonicMs() < endMs(),
    async agree() {
      // What it takes in these moments counts.
      if (isCommitting) await running;
      if (isClosed || (!isFailing && sinceRenewalMs() < leaseMs / 2)) return false;
      deferredToMs = Math.max(deferredToMs, clock.monotonicMs() + leaseMs);
      return true;
    },
    async start() {
      unsubscribe = cluster.subscribe('partitions', wake);
      wake();
      await running;
      beside = options.renewBeside?.(
        db
          .withSchema(SCHEMA)
          .updateTable('gateways')
          .set({ expires_at: leaseTime(cluster, leaseMs) as never })
          .where('id', '=', self.id)
          .where('expires_at', '>', cluster.nowMs())
          .compile(),
      );
    },
    close() {
      closed ??= leave();
      return closed;
    },
  };
}

const LEAVE_POLL_MS = 20;
