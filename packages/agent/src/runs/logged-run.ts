import type { RunStore, StoredRun } from '@berth/agent-store';
import type { Clock } from '@berth/kit';
import type { RunSource } from './create-run-reader.ts';
import { startAfter } from './live-run.ts';
import { readLogged } from './read-logged.ts';
import type { EndedRun } from './run-engine.ts';

/** How often the log of another instance's run is polled. */
const POLL_MS = 100;

interface LoggedRunOptions {
  readonly store: RunStore;
  readonly clock: Clock;
  /** Takes the run over if its producer is gone; returns its current record. */
  takeOverIfStale(run: StoredRun): Promise<StoredRun>;
}

/** Returns a source that reads a run from the log: a run of another instance, or one that is over. */
export function createLoggedRun(run: StoredRun, { store, clock, takeOverIfStale }: LoggedRunOptions): RunSource {
  let status: EndedRun['status'] | undefined;
  let { attempt } = run;
  return {
    get attempt() {
      return attempt;
    },
    bytesSoFar: () => 0,
    hasAfter: () => false,
    async read(afterSeq, maxBytes) {
      // The record is read first: if the run is over by then, no frame follows those read next.
      const record = (await store.find(run.owner, run.id)) ?? { ...run, status: 'interrupted' as const };
      const current = await takeOverIfStale(record);
      const startSeq = startAfter({ attempt, seq: afterSeq }, current);
      const now = current.status;
      const frames = await readLogged(store, run, startSeq, maxBytes);
      // A reader whose frames were lost starts over with the first frame that the new attempt logs, not before.
      if (frames.length > 0 || startSeq === afterSeq) attempt = current.attempt;
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
