import type { RunSettlement, RunStore, StoredRun } from '@berth/agent-store';
import { AGENT_LIMITS, type Frame } from '@berth/contract/agent';
import { describeError } from '@berth/kit';
import { budgetLeftMs } from './drive-run.ts';
import { createLiveRun, type LiveRun } from './live-run.ts';
import { readLogged } from './read-logged.ts';
import type { RunEngineOptions, StartRun } from './run-engine.ts';
import { KEEP_FRAMES_MS } from './settle-run.ts';
import type { FlushQueue } from './text-coalescer.ts';

const BYTES_AT_ONCE = 1_048_576;

interface TakeOverOptions extends RunEngineOptions {
  readonly flushQueue: FlushQueue;
}

/** A run that this instance has taken over and continues. */
export interface ContinuedRun {
  readonly record: StoredRun;
  readonly run: LiveRun;
  readonly produce: StartRun['produce'];
}

/**
 * Takes over a run whose process is gone. When it can be continued, returns it; else settles it: its logged frames become the
 * message, with the status `stopped` when a person asked for that, and `interrupted` otherwise. When several instances find the
 * run, one gets it; does nothing in the others, and when the process turns out to be alive.
 * @param mayContinue false to settle the run in any case.
 */
export async function takeOverRun(
  stale: StoredRun,
  options: TakeOverOptions,
  mayContinue: boolean,
): Promise<ContinuedRun | undefined> {
  const { store, clock, logger, instance } = options;
  const log = logger.child({ runId: stale.id, chatId: stale.chatId, instance: stale.instance });
  const staleBeforeMs = clock.nowMs() - AGENT_LIMITS.staleMs;
  if (mayContinue && isContinuable(stale, options)) {
    const { id, attempt } = stale;
    // From here on, nothing that the other process still writes takes effect.
    const record = await store.takeOver(id, { attempt, instance, nowMs: clock.nowMs(), staleBeforeMs });
    if (!record) return undefined;
    const run = await openRun(record, options);
    const produce = await producerOf(record, options);
    if (produce) {
      log.warn({ attempt: record.attempt }, 'a turn whose process ended is continued');
      return { record, run, produce };
    }
    await store.settle(id, settlementOf(record, run, options));
    log.warn({}, 'a turn was interrupted');
    return undefined;
  }
  for (let record: StoredRun | undefined = stale; record?.status === 'running' && record.attempt === stale.attempt; ) {
    const run = await openRun(record, options);
    const lastSeq = run.lastSeq;
    if (
      await store.settle(record.id, {
        ...settlementOf(record, run, options),
        stale: { beforeMs: staleBeforeMs, lastSeq },
      })
    ) {
      log.warn({}, 'a turn was interrupted');
      return undefined;
    }
    record = await store.find(record.owner, record.id);
    if (record && record.heartbeatAtMs >= staleBeforeMs) return undefined;
  }
  return undefined;
}

/** Returns the run as far as it is logged. */
async function openRun(record: StoredRun, { store, clock, flushQueue }: TakeOverOptions): Promise<LiveRun> {
  const { id, owner, chatId, attempt, resumedAfter, costMicroUsd } = record;
  const journal = { attempt, resumedAfter, costMicroUsd, frames: await readFrames(store, record) };
  return createLiveRun({ id, owner, chatId, clock, store, flushQueue, journal });
}

/** Returns the end of a run that is not continued. */
function settlementOf(
  { id, chatId, attempt, isStopRequested }: StoredRun,
  { parts, costMicroUsd }: LiveRun,
  { clock, finish }: RunEngineOptions,
): RunSettlement {
  const status = isStopRequested ? 'stopped' : 'interrupted';
  const nowMs = clock.nowMs();
  const messages = finish({ runId: id, chatId, status, parts });
  return { attempt, status, messages, costMicroUsd, nowMs, keepFramesUntilMs: nowMs + KEEP_FRAMES_MS };
}

/** True for a run that another process may continue: it has what is needed, attempts and time left, and was not stopped. */
export function isContinuable(
  run: Pick<StoredRun, 'request' | 'attempt' | 'startedAtMs' | 'isStopRequested'>,
  { resume, clock }: Pick<RunEngineOptions, 'resume' | 'clock'>,
): boolean {
  const hasAttempts = run.attempt <= AGENT_LIMITS.takeovers;
  const hasTime = budgetLeftMs(run.startedAtMs, clock) > 0;
  return resume !== undefined && run.request !== undefined && hasAttempts && hasTime && !run.isStopRequested;
}

/** Returns how to continue the run, if it can be. */
async function producerOf(
  { id: runId, owner, chatId, request, isStopRequested }: StoredRun,
  options: RunEngineOptions,
): Promise<StartRun['produce'] | undefined> {
  if (request === undefined || isStopRequested) return undefined;
  try {
    return await options.resume?.({ runId, owner, chatId, request });
  } catch (error) {
    options.logger.error({ runId, chatId, error: describeError(error) }, 'a turn cannot be continued');
    return undefined;
  }
}

/** Returns all logged frames of a run. */
async function readFrames(store: RunStore, run: StoredRun): Promise<readonly Frame[]> {
  const frames: Frame[] = [];
  for (;;) {
    const some = await readLogged(store, run, frames.length, BYTES_AT_ONCE);
    if (some.length === 0) return frames;
    for (const { json } of some) frames.push(JSON.parse(json) as Frame);
  }
}
