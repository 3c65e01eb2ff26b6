import { rm } from 'node:fs/promises';
import type { Clock } from '@berth/kit';
import { createDiskMeter } from '@berth/kit/node';
import type { Pruned, StoredArchive } from '../port/builder.ts';
import type { ArchiveStore } from './archive-store.ts';

/** Minimum age of an unreferenced archive before removal. No request lasts that long, so it was left by a failure. */
const LIFE_MS = 24 * 3_600_000;

/** Options of {@link pruneArchives}. */
export interface PruneArchivesOptions {
  readonly archives: ArchiveStore;
  /** Archives that a record references. */
  readonly keep: readonly StoredArchive[];
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly isDryRun: boolean;
}

/** Removes archives that nothing references. Safe while new archives are received. */
export async function pruneArchives({ archives, keep, clock, isDryRun }: PruneArchivesOptions): Promise<Pruned> {
  const found = await archives.findUnneeded(keep, clock.nowMs() - LIFE_MS);
  const meter = createDiskMeter();
  for (const path of found) {
    await meter.add(path);
    if (!isDryRun) await rm(path, { force: true });
  }
  return { what: 'archives', count: found.length, sizeBytes: meter.freeableBytes };
}
