import { rm, stat } from 'node:fs/promises';
import { type Clock, type Logger, runInBackground } from '@berth/kit';
import type { Incoming } from './incoming.ts';
import { readPlan, resumeBatch } from './place-batch.ts';
import type { WorkspaceDisk } from './workspace-disk.ts';

export interface ResumeBatchesOptions {
  readonly disk: WorkspaceDisk;
  readonly incoming: Incoming;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A batch that is being placed changes its folder all the time; one that does not is of a process that was killed. */
const QUIET_MS = 10_000;
/** Before it has a plan it may wait for its turn. */
const ABANDONED_MS = 3_600_000;

/**
 * Goes on with the batches that killed processes left half placed: at once with those that are quiet, and a moment later
 * with what another instance may still be working on.
 */
export async function resumeBatches(options: ResumeBatchesOptions): Promise<void> {
  const isMore = await resumeQuiet(options);
  if (!isMore) return;
  const { clock, logger } = options;
  clock.setTimer(QUIET_MS, () => runInBackground('unfinished uploads', resumeQuiet(options), logger));
}

/** True when there are others that are not quiet yet. */
async function resumeQuiet({ disk, incoming, clock, logger }: ResumeBatchesOptions): Promise<boolean> {
  let isMore = false;
  for (const folder of await incoming.folders()) {
    const ageMs = clock.nowMs() - ((await stat(folder).catch(() => undefined))?.mtimeMs ?? clock.nowMs());
    const plan = await readPlan(folder);
    if (!plan) {
      if (ageMs > ABANDONED_MS) await rm(folder, { recursive: true, force: true });
    } else if (ageMs < QUIET_MS) isMore = true;
    else {
      logger.info({ files: plan.paths.length }, 'going on with an upload of several files that was cut off');
      await disk.alone(plan.owner, async () => {
        await using root = await disk.ensure(plan.owner);
        await resumeBatch(root, folder, plan);
      });
    }
  }
  return isMore;
}
