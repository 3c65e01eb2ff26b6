import type { OwnerKey, RunStore, StoredRun } from '@berth/agent-store';
import type { Clock } from '@berth/kit';
import type { RunSource } from './create-run-reader.ts';
import type { EndedRun, RunFrame } from './run-engine.ts';

/** How often the log of another instance's run is polled. */
const POLL_MS = 100;
/** Batches per query; each holds the frames of 100 ms. */
const BATCHES_AT_ONCE = 64;

interface LoggedRunOptions {
  readonly store: RunStore;
  readonly clock: Clock;
  /** Ends the run if its producer is gone; returns its current record. */
  settleIfStale(run: StoredRun): Promise<StoredRun>;
}

/** Returns a source that reads a run from the log: a run of another instance, or one that is over. */
export function createLoggedRun(run: StoredRun, { store, clock, settleIfStale }: LoggedRunOptions): RunSource {
  let status: EndedRun['status'] | undefined;
  return {
    bytesSoFar: () => 0,
    hasAfter: () => false,
    async read(afterSeq, maxBytes) {
      // The record is read first: if the run is over by then, no frame follows those read next.
      const record = (await store.find(run.owner, run.id)) ?? { ...run, status: 'interrupted' as const };
      const { status: now } = await settleIfStale(record);
      const frames = await readLogged(store, run, afterSeq, maxBytes);
      if (now !== 'running' && frames.length === 0) status = now;
      return frames;
    },
    endAfter: () => status,
    listen(listener) {
      let timer = clock.setTimer(POLL_MS, poll);
      function poll(): void {
        timer = clock.setTimer(POLL_MS, poll);
        listener();
      }
      return () => timer.cancel();
    },
  };
}

/** Reads frames of the log after `afterSeq`, in order, up to about `maxBytes` and at least one if there is any. */
export async function readLogged(
  store: Pick<RunStore, 'frames'>,
  run: { readonly owner: OwnerKey; readonly id: string },
  afterSeq: number,
  maxBytes: number,
): Promise<readonly RunFrame[]> {
  const found: RunFrame[] = [];
  let bytes = 0;
  for (const { firstSeq, frames } of await store.frames(run.owner, run.id, afterSeq, BATCHES_AT_ONCE)) {
    for (const [index, json] of frames.entries()) {
      const seq = firstSeq + index;
      if (seq <= afterSeq) continue;
      if (bytes >= maxBytes) return found;
      found.push({ seq, json });
      bytes += json.length;
    }
  }
  return found;
}
