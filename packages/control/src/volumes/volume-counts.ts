import type { VolumesTable } from '@berth/database';
import { describeError, runInBackground, type Timer } from '@berth/kit';
import type { ObjectStore, VolumePlace, VolumeSize } from '@berth/object-store';
import { sql } from 'kysely';
import type { Leases } from '../cluster/leases.ts';
import type { ControlContext } from '../context/control-context.ts';
import { listVolumesToCount } from './volume-store.ts';

export interface VolumeCountsOptions extends Pick<ControlContext, 'db' | 'clock' | 'logger'> {
  readonly store: Pick<ObjectStore, 'measure'>;
  readonly leases: Leases;
}

const FLUSH_MS = 1_000;
/** Pause between two rounds of counting; a round reads every folder of every volume once. */
const ROUND_MS = 10 * 60_000;
/** A volume that no service has mounted changes only through Berth, which counts it, or directly in its bucket. */
const UNATTACHED_MS = 6 * 3_600_000;
/** Repeated listings within this time share one count. */
const FRESH_MS = 1_000;
/** How long a listing may wait for an exact count: about 10,000 objects. */
const REFRESH_MS = 250;

/**
 * The size of each volume. Invariants:
 * 1. Transfers through Berth are counted as they happen, in memory, and written within a second.
 * 2. Writes by services to a mounted volume, and counts lost in a crash, are corrected by the next full count.
 * 3. One volume is counted at a time.
 */
export function createVolumeCounts({ db, store, clock, logger, leases }: VolumeCountsOptions) {
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
  const count = async (volume: VolumesTable, signal: AbortSignal): Promise<void> => {
    const place = placeOf(volume);
    const { sizeBytes, objectCount } = await store.measure(place, { signal });
    changes.delete(keyOf(place));
    await rowOf(place).set({ size_bytes: sizeBytes, object_count: objectCount, counted_at: clock.nowMs() }).execute();
  };
  const countRound = async (lost: AbortSignal): Promise<void> => {
    const signal = AbortSignal.any([closing.signal, lost]);
    for (const volume of await listVolumesToCount(db, clock.nowMs() - UNATTACHED_MS)) {
      if (signal.aborted) return;
      await count(volume, signal).catch((error: unknown) => {
        if (!signal.aborted)
          logger.warn({ volume: volume.storage_id, error: describeError(error) }, 'a volume could not be counted');
      });
    }
  };
  const countAll = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      await leases.run('volume counts', (lease) => countRound(lease.signal));
      await clock.sleep(ROUND_MS, closing.signal).catch(() => {});
    }
  };

  return {
    /** Records one change as a difference. */
    add(place: VolumePlace, { sizeBytes, objectCount }: VolumeSize): void {
      const key = keyOf(place);
      const size = changes.get(key)?.size ?? { sizeBytes: 0, objectCount: 0 };
      changes.set(key, {
        place,
        size: { sizeBytes: size.sizeBytes + sizeBytes, objectCount: size.objectCount + objectCount },
      });
      timer ??= clock.setTimer(FLUSH_MS, () => runInBackground('write sizes of volumes', flush(), logger));
    },
    /** Recounts the account's volumes, as many as a short time allows. */
    async refresh(volumes: readonly VolumesTable[]): Promise<void> {
      await flush();
      const enough = new AbortController();
      const alarm = clock.setTimer(REFRESH_MS, () => enough.abort());
      try {
        const isStale = ({ counted_at }: VolumesTable) => clock.nowMs() - counted_at >= FRESH_MS;
        for (const volume of volumes.filter(isStale)) await count(volume, enough.signal);
      } catch (error) {
        if (!enough.signal.aborted) logger.warn({ error: describeError(error) }, 'volumes could not be counted');
      } finally {
        alarm.cancel();
      }
    },
    /** Starts counting in the background. */
    start(): void {
      round ??= countAll();
      runInBackground('count volumes', round, logger);
    },
    /** Idempotent. */
    async close(): Promise<void> {
      closing.abort();
      await round?.catch(() => {});
      await flush();
    },
  };
}

export function placeOf(volume: Pick<VolumesTable, 'account_id' | 'storage_id'>): VolumePlace {
  return { account: volume.account_id, storageId: volume.storage_id };
}

/** Never below zero: a service may have deleted objects that were not counted yet. */
function addTo(column: 'size_bytes' | 'object_count', change: number) {
  const sum = sql`${sql.ref(column)} + ${change}`;
  return sql<number>`case when ${sum} < 0 then 0 else ${sum} end`;
}

function keyOf({ account, storageId }: VolumePlace): string {
  return `${account}/${storageId}`;
}
