import type { RunStore } from '@berth/agent-store';
import { describeError, type Logger } from '@berth/kit';
import type { LiveRun } from './live-run.ts';

/** A run with more unlogged bytes than this is ended, because turns must not pile up in memory. */
const UNLOGGED_BYTES = 33_554_432;

/** Runs written in one transaction. All at once would block the event loop. */
const RUNS_AT_ONCE = 250;

/**
 * Returns a function that writes the new frames of live runs to the log. It resolves when they are durable, or could not be
 * written this time. Calls are serialized.
 */
export function createFrameLogger(store: Pick<RunStore, 'append'>, logger: Logger) {
  let current: Promise<void> | undefined;
  let isFailing = false;
  const append = async (runs: readonly LiveRun[]) => {
    const batches = runs.flatMap((run) => {
      const batch = run.unlogged();
      return batch ? [{ run, batch }] : [];
    });
    if (batches.length === 0) return;
    try {
      const dropped = new Set(await store.append(batches.map(({ batch }) => batch)));
      for (const { run, batch } of batches) {
        if (dropped.has(run.id)) run.abort('lost');
        run.logged(batch);
      }
      if (isFailing) logger.info({}, 'frames of turns are being logged again');
      isFailing = false;
    } catch (error) {
      // The frames are kept and the next attempt is 100 ms away, so one log line is enough.
      if (!isFailing) logger.error({ error: describeError(error) }, "frames of turns can't be logged");
      isFailing = true;
      for (const { run } of batches) if (run.unloggedBytes > UNLOGGED_BYTES) run.abort('lost');
    }
  };
  const appendAll = async (runs: readonly LiveRun[]) => {
    for (let start = 0; start < runs.length; start += RUNS_AT_ONCE)
      await append(runs.slice(start, start + RUNS_AT_ONCE));
  };
  return (runs: Iterable<LiveRun>): Promise<void> => {
    current ??= appendAll([...runs]).finally(() => {
      current = undefined;
    });
    return current;
  };
}
