import type { Database } from '@berth/database';
import { type AccountId, type Clock, describeError, type Logger, runInBackground, type Timer } from '@berth/kit';
import type { ObjectStore, VolumePlace, VolumeSize } from '@berth/object-store';
import { type Kysely, sql } from 'kysely';
import { listVolumesToCount, type VolumeRecord } from './volume-store.ts';

/**
 * How much each volume holds. Invariants:
 * 1. What goes over Berth is counted as it happens, in memory, and written within a second.
 * 2. What services write to a mounted volume, and what a crash lost, comes in with the next count of the whole.
 * 3. One volume is counted at a time.
 */
export interface VolumeCounts {
  /** One change that was made, as a difference. */
  add(place: VolumePlace, change: VolumeSize): void;
  /** Counts the account's volumes anew, as many as fit into a moment. */
  refresh(volumes: readonly VolumeRecord[]): Promise<void>;
  /** Counts in the background from now on. */
  start(): void;
  /** Idempotent. */
  close(): Promise<void>;
}

export interface VolumeCountsOptions {
  readonly db: Kysely<Database>;
  readonly store: Pick<ObjectStore, 'measure'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const FLUSH_MS = 1_000;
/** Pause between two rounds of counting; a round reads every folder of every volume once. */
const ROUND_MS = 10 * 60_000;
/** What no service has mounted changes over Berth, which counts it, or in a bucket, past it. */
const UNATTACHED_MS = 6 * 3_600_000;
/** Who lists again and again does not count again and again. */
const FRESH_MS = 1_000;
/** A listing may take this much longer for being exact: some 10,000 objects. */
const REFRESH_MS = 250;

export function createVolumeCounts({ db, store, clock, logger }: VolumeCountsOptions): VolumeCounts {
  const changes = new Map<string, { readonly place: VolumePlace; size: VolumeSize }>();
  const closing = new AbortController();
  let timer: Timer | undefined;
  let round: Promise<void> | undefined;

  const rowOf = ({ account, storageId }: VolumePlace) =>
    db.updateTable('volumes').where('account_id', '=', account).where('storage_id', '=', storageId);
  const flush = async (): Promise<void> => {
    timer?.cancel();
    timer = undefined;
    const pending = [...changes.values()];
    changes.clear();
    for (const { place, size } of pending) {
      await rowOf(place)
        .set({
          size_bytes: addTo('size_bytes', size.sizeBytes),
          object_count: addTo('object_count', size.objectCount),
        })
        .execute();
    }
  };
  const count = async (volume: VolumeRecord, signal: AbortSignal): Promise<void> => {
    const place = placeOf(volume);
    const { sizeBytes, objectCount } = await store.measure(place, { signal });
    changes.delete(keyOf(place));
    await rowOf(place).set({ size_bytes: sizeBytes, object_count: objectCount, counted_at: clock.nowMs() }).execute();
  };
  const countAll = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      for (const volume of await listVolumesToCount(db, clock.nowMs() - UNATTACHED_MS)) {
        if (closing.signal.aborted) return;
        await count(volume, closing.signal).catch((error: unknown) => {
          if (!closing.signal.aborted)
            logger.warn({ volume: volume.storageId, error: describeError(error) }, 'a volume could not be counted');
        });
      }
      await clock.sleep(ROUND_MS, closing.signal).catch(() => {});
    }
  };

  return {
    add(place, { sizeBytes, objectCount }) {
      const key = keyOf(place);
      const size = changes.get(key)?.size ?? { sizeBytes: 0, objectCount: 0 };
      changes.set(key, {
        place,
        size: { sizeBytes: size.sizeBytes + sizeBytes, objectCount: size.objectCount + objectCount },
      });
      timer ??= clock.setTimer(FLUSH_MS, () => runInBackground('write sizes of volumes', flush(), logger));
    },
    async refresh(volumes) {
      await flush();
      const enough = new AbortController();
      const alarm = clock.setTimer(REFRESH_MS, () => enough.abort());
      try {
        const isStale = ({ countedAtMs }: VolumeRecord) => clock.nowMs() - countedAtMs >= FRESH_MS;
        for (const volume of volumes.filter(isStale)) await count(volume, enough.signal);
      } catch (error) {
        if (!enough.signal.aborted) logger.warn({ error: describeError(error) }, 'volumes could not be counted');
      } finally {
        alarm.cancel();
      }
    },
    start() {
      round ??= countAll();
      runInBackground('count volumes', round, logger);
    },
    async close() {
      closing.abort();
      await round?.catch(() => {});
      await flush();
    },
  };
}

export function placeOf({ accountId, storageId }: { accountId: AccountId; storageId: string }): VolumePlace {
  return { account: accountId, storageId };
}

/** Never below zero: a service may have deleted what was not counted yet. */
function addTo(column: 'size_bytes' | 'object_count', change: number) {
  const sum = sql`${sql.ref(column)} + ${change}`;
  return sql<number>`case when ${sum} < 0 then 0 else ${sum} end`;
}

function keyOf({ account, storageId }: VolumePlace): string {
  return `${account}/${storageId}`;
}
