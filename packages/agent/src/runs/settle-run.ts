import type { StoredRun } from '@berth/agent-store';
import { AGENT_LIMITS, type Frame, mergeFrames } from '@berth/contract/agent';
import { describeError } from '@berth/kit';
import type { driveRun } from './drive-run.ts';
import type { createFrameLogger } from './frame-logger.ts';
import { asPart, type LiveRun } from './live-run.ts';
import { readLogged } from './logged-run.ts';
import type { EndedRun, RunEngineOptions } from './run-engine.ts';

/** How long frames are kept after the end of their run, for readers that reconnect. */
const KEEP_FRAMES_MS = 5 * 60_000;
/** Attempts to store the end of a turn, a second apart, before a process that closes gives it up. */
const ATTEMPTS = 20;
/** One failed attempt in this many is logged. */
const LOGGED_ATTEMPTS = 20;
const PAUSE_MS = 1_000;
const BYTES_AT_ONCE = 1_048_576;

/**
 * Stores the end of a run of this process and returns its final status: `interrupted` when another instance settled it in the
 * meantime, or when the process closes and it could not be stored. While `mayWait()`, it waits for the store as long as it takes.
 */
export async function settleLiveRun(
  run: LiveRun,
  { status, messages, costMicroUsd }: Awaited<ReturnType<typeof driveRun>>,
  logFrames: ReturnType<typeof createFrameLogger>,
  { store, clock, logger, finish, mayWait }: RunEngineOptions & { mayWait(): boolean },
): Promise<EndedRun['status']> {
  const log = logger.child({ runId: run.id, chatId: run.chatId });
  for (let attempt = 1; ; attempt++) {
    try {
      const answer = finish({ runId: run.id, chatId: run.chatId, status, parts: run.parts });
      // A write in progress must finish first, or its frames would be logged twice.
      await logFrames([]);
      const last = run.unlogged();
      const nowMs = clock.nowMs();
      const isDone = await store.settle(run.id, {
        status,
        messages: [...messages, ...answer],
        costMicroUsd,
        nowMs,
        ...(last && { frames: last }),
        keepFramesUntilMs: nowMs + KEEP_FRAMES_MS,
      });
      // An earlier attempt may have been stored although its answer was lost.
      if (!isDone && attempt > 1 && (await store.find(run.owner, run.id))?.status === status) return status;
      if (!isDone) log.warn({}, 'another instance took this turn for dead and ended it');
      return isDone ? status : 'interrupted';
    } catch (error) {
      const isLogged = attempt % LOGGED_ATTEMPTS === 1;
      if (isLogged) log.error({ attempt, error: describeError(error) }, 'the end of a turn can not be stored');
      if (attempt >= ATTEMPTS && !mayWait()) return 'interrupted';
      await clock.sleep(PAUSE_MS);
    }
  }
}

/**
 * Settles a run whose producer is gone: its logged frames become the message, with the status `interrupted`. When several
 * instances find the run, one settles it; returns false in the others, and when the producer turns out to be alive.
 */
export async function settleStaleRun(run: StoredRun, { store, clock, finish }: RunEngineOptions): Promise<boolean> {
  const nowMs = clock.nowMs();
  const frames: NonNullable<ReturnType<typeof asPart>>[] = [];
  for (let afterSeq = 0; ; ) {
    const some = await readLogged(store, run, afterSeq, BYTES_AT_ONCE);
    const last = some.at(-1);
    if (!last) break;
    afterSeq = last.seq;
    for (const { json } of some) {
      const part = asPart(JSON.parse(json) as Frame);
      if (part) frames.push(part);
    }
  }
  const status = 'interrupted';
  return store.settle(run.id, {
    status,
    messages: finish({ runId: run.id, chatId: run.chatId, status, parts: mergeFrames(frames) }),
    costMicroUsd: 0,
    nowMs,
    keepFramesUntilMs: nowMs + KEEP_FRAMES_MS,
    staleBeforeMs: nowMs - AGENT_LIMITS.staleMs,
  });
}
