import { describeError } from '@berth/kit';
import type { driveRun } from './drive-run.ts';
import type { createFrameLogger } from './frame-logger.ts';
import type { LiveRun } from './live-run.ts';
import type { EndedRun, RunEngineOptions } from './run-engine.ts';

/** How long frames are kept after the end of their run, for readers that reconnect. */
export const KEEP_FRAMES_MS = 5 * 60_000;
/** Attempts to store the end of a turn, a second apart, before a process that closes gives it up. */
const ATTEMPTS = 20;
/** One failed attempt in this many is logged. */
const LOGGED_ATTEMPTS = 20;
const PAUSE_MS = 1_000;

/**
 * Stores the end of a run of this process and returns its final status: `interrupted` when the process closes and it could not be
 * stored, `moved` when another instance has taken the run over, or is to. While `mayWait()`, it waits for the store as long as it
 * takes.
 */
export async function settleLiveRun(
  run: LiveRun,
  { status, messages }: Awaited<ReturnType<typeof driveRun>>,
  logFrames: ReturnType<typeof createFrameLogger>,
  { store, clock, logger, finish, mayWait }: RunEngineOptions & { mayWait(): boolean },
): Promise<EndedRun['status'] | 'moved'> {
  const log = logger.child({ runId: run.id, chatId: run.chatId });
  for (let attempt = 1; ; attempt++) {
    try {
      // A write in progress must finish first, or its frames would be logged twice.
      await logFrames([]);
      if (run.abortReason === 'handed_over') {
        await logFrames([run]);
        await store.release(run.id, run.attempt);
        return 'moved';
      }
      const answer = finish({ runId: run.id, chatId: run.chatId, status, parts: run.parts });
      const last = run.unlogged();
      const nowMs = clock.nowMs();
      const isDone = await store.settle(run.id, {
        attempt: run.attempt,
        status,
        messages: [...messages, ...answer],
        costMicroUsd: run.costMicroUsd,
        nowMs,
        ...(last && { frames: last }),
        keepFramesUntilMs: nowMs + KEEP_FRAMES_MS,
      });
      // An earlier attempt may have been stored although its answer was lost.
      if (!isDone && attempt > 1 && (await store.find(run.owner, run.id))?.status === status) return status;
      if (!isDone) log.warn({}, 'another instance took over this turn');
      return isDone ? status : 'moved';
    } catch (error) {
      const isLogged = attempt % LOGGED_ATTEMPTS === 1;
      if (isLogged) log.error({ attempt, error: describeError(error) }, 'the end of a turn cannot be stored');
      if (attempt >= ATTEMPTS && !mayWait()) return 'interrupted';
      await clock.sleep(PAUSE_MS);
    }
  }
}
