import type { DeletedVolumesTable } from '@berth/database';
import { describeError, runInBackground, type Timer } from '@berth/kit';
import type { ObjectStore } from '@berth/object-store';
import type { Leases } from '../cluster/leases.ts';
import type { ControlContext } from '../context/control-context.ts';
import { placeOf } from './volume-counts.ts';
import { createVolumeStore } from './volume-store.ts';

/** Removes deleted volumes when their restore period is over. */
export interface VolumeCollector {
  /** Collects now and then every hour. */
  start(): void;
  /** Returns the volumes that were removed; in a dry run, those that would be. */
  collect(options?: { readonly isDryRun?: boolean }): Promise<readonly DeletedVolumesTable[]>;
  /** Idempotent. */
  close(): void;
}

export interface VolumeCollectorOptions extends Pick<ControlContext, 'db' | 'clock' | 'logger'> {
  readonly store: Pick<ObjectStore, 'removeVolume'>;
  readonly leases: Leases;
}

/** How long a deleted volume can be restored: 7 days. Source: docs/contract/control-plane.md §5. */
export const KEPT_MS = 7 * 24 * 3_600_000;
const INTERVAL_MS = 3_600_000;

export function createVolumeCollector({ db, store, clock, logger, leases }: VolumeCollectorOptions): VolumeCollector {
  let timer: Timer | undefined;
  const collect: VolumeCollector['collect'] = async ({ isDryRun = false } = {}) => {
    const volumes = createVolumeStore(db);
    const removed: DeletedVolumesTable[] = [];
    const due = await volumes.listDeletedBefore(clock.nowMs() - KEPT_MS);
    if (isDryRun) return due;
    for (const volume of due) {
      try {
        // The row is deleted last: after a crash in between, the next round finds it again.
        await store.removeVolume(placeOf(volume));
        await volumes.forget(volume);
        removed.push(volume);
        logger.info({ volume: volume.storage_id }, 'a deleted volume was removed');
      } catch (error) {
        logger.error({ volume: volume.storage_id, error: describeError(error) }, 'a deleted volume cannot be removed');
      }
    }
    return removed;
  };
  const run = () => {
    timer = clock.setTimer(INTERVAL_MS, run);
    runInBackground(
      'remove deleted volumes',
      leases.run('volume collection', () => collect()),
      logger,
    );
  };
  return { collect, start: run, close: () => timer?.cancel() };
}
