import { rm } from 'node:fs/promises';
import type { Clock } from '@berth/kit';
import { createDiskMeter } from '@berth/kit/node';
import type { Pruned } from '../port/builder.ts';
import type { ArchiveStore } from './archive-store.ts';

/** No request lasts that long: an archive that is in no record by then was left by a failure. */
const LIFE_MS = 24 * 3_600_000;

export interface PruneArchivesOptions {
  readonly archives: ArchiveStore;
  /** Paths of archives that a record names. */
  readonly keep: readonly string[];
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly isDryRun: boolean;
}

/** Removes archives that nothing needs; beside requests that bring new ones. */
export async function pruneArchives({ archives, keep, clock, isDryRun }: PruneArchivesOptions): Promise<Pruned> {
  const found = await archives.findUnneeded(keep, clock.nowMs() - LIFE_MS);
  const meter = createDiskMeter();
  for (const path of found) {
    await meter.add(path);
    if (!isDryRun) await rm(path, { force: true });
  }
  return { what: 'archives', count: found.length, sizeBytes: meter.freeableBytes };
}
