import type { NewMessage, RunStore, StoredRun } from '@berth/agent-store';
import { type ComponentFrame, mergeFrames } from '@berth/contract/agent';
import { type Clock, describeError, type Logger } from '@berth/kit';
import type { DrivenRun } from './drive-run.ts';
import type { FrameLogger } from './frame-logger.ts';
import type { LiveRun } from './live-run.ts';
import { readLogged } from './logged-run.ts';
import type { EndedRun } from './run-engine.ts';

/** Attempts to store the end of a turn, a second apart; after the last one the turn reads as interrupted. */
const ATTEMPTS = 20;
const PAUSE_MS = 1_000;

export interface SettleLiveOptions {
  readonly store: RunStore;
  readonly frames: FrameLogger;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly keepFramesMs: number;
  finish(run: EndedRun): readonly NewMessage[];
}

/**
 * Stores the end of a run of this process and returns its final status: `interrupted` when another instance settled it in the
 * meantime, or when it could not be stored.
 */
export async function settleLiveRun(
  run: LiveRun,
  { status, messages, costMicroUsd }: DrivenRun,
  { store, frames, clock, logger, keepFramesMs, finish }: SettleLiveOptions,
): Promise<EndedRun['status']> {
  const log = logger.child({ runId: run.id, chatId: run.chatId });
  for (let attempt = 1; ; attempt++) {
    try {
      const answer = finish({ runId: run.id, chatId: run.chatId, status, parts: run.parts });
      // A write in progress must finish first, or its frames would be logged twice.
      await frames.log([]);
      const last = run.unlogged();
      const nowMs = clock.nowMs();
      const isDone = await store.settle(run.id, {
        status,
        messages: [...messages, ...answer],
        costMicroUsd,
        nowMs,
        ...(last && { frames: last }),
        keepFramesUntilMs: nowMs + keepFramesMs,
      });
      if (isDone && last) run.logged(last.firstSeq + last.frames.length - 1);
      if (!isDone) log.warn({}, 'another instance took this turn for dead and ended it');
      return isDone ? status : 'interrupted';
    } catch (error) {
      log.error({ attempt, error: describeError(error) }, 'the end of a turn can not be stored');
      if (attempt >= ATTEMPTS) return 'interrupted';
      await clock.sleep(PAUSE_MS);
    }
  }
}

const BYTES_AT_ONCE = 1_048_576;
const NO_PARTS: ReadonlySet<string> = new Set(['chat_id', 'ping', 'ui']);

interface SettleStaleOptions {
  readonly store: RunStore;
  /** A run with an older heartbeat has lost its producer. */
  readonly staleBeforeMs: number;
  readonly nowMs: number;
  readonly keepFramesUntilMs: number;
  finish(run: EndedRun): readonly NewMessage[];
}

/**
 * Settles a run whose producer is gone: its logged frames become the message, with the status `interrupted`. When several
 * instances find the run, one settles it; returns false in the others, and when the producer turns out to be alive.
 */
export async function settleStaleRun(run: StoredRun, options: SettleStaleOptions): Promise<boolean> {
  const { store, staleBeforeMs, nowMs, keepFramesUntilMs, finish } = options;
  const frames: ComponentFrame[] = [];
  for (let afterSeq = 0; ; ) {
    const some = await readLogged(store, run.owner, run.id, afterSeq, BYTES_AT_ONCE);
    const last = some.at(-1);
    if (!last) break;
    afterSeq = last.seq;
    for (const { json } of some) {
      const frame = JSON.parse(json) as { readonly type: string };
      if (!NO_PARTS.has(frame.type)) frames.push(frame as ComponentFrame);
    }
  }
  const status = 'interrupted';
  const parts = mergeFrames(frames);
  const messages = finish({ runId: run.id, chatId: run.chatId, status, parts });
  return store.settle(run.id, { status, messages, costMicroUsd: 0, nowMs, keepFramesUntilMs, staleBeforeMs });
}
