import type { Database } from '@berth/database';
import { type Clock, describeError, type Logger, runInBackground, type Timer } from '@berth/kit';
import type { ObjectStore } from '@berth/object-store';
import type { Kysely } from 'kysely';
import { placeOf } from './volume-counts.ts';
import { createVolumeStore } from './volume-store.ts';

/** Removes deleted volumes once they can't be restored any more. */
export interface VolumeCollector {
  /** Looks now, and every hour from now on. */
  start(): void;
  collect(): Promise<void>;
  /** Idempotent. */
  close(): void;
}

export interface VolumeCollectorOptions {
  readonly db: Kysely<Database>;
  readonly store: Pick<ObjectStore, 'removeVolume'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Source: spec control-plane 5, 7 days. */
export const KEPT_MS = 7 * 24 * 3_600_000;
const INTERVAL_MS = 3_600_000;

export function createVolumeCollector({ db, store, clock, logger }: VolumeCollectorOptions): VolumeCollector {
  let timer: Timer | undefined;
  const collect = async (): Promise<void> => {
    const volumes = createVolumeStore(db);
    for (const volume of await volumes.listDeletedBefore(clock.nowMs() - KEPT_MS)) {
      try {
        // The row goes last: after a crash in between, the next round finds it again.
        await store.removeVolume(placeOf(volume));
        await volumes.forget(volume);
        logger.info({ volume: volume.storageId }, 'a deleted volume was removed');
      } catch (error) {
        logger.error({ volume: volume.storageId, error: describeError(error) }, 'a deleted volume can not be removed');
      }
    }
  };
  const run = () => {
    timer = clock.setTimer(INTERVAL_MS, run);
    runInBackground('remove deleted volumes', collect(), logger);
  };
  return { collect, start: run, close: () => timer?.cancel() };
}
