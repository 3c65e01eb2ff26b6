import type { OwnerKey, RunProgress, RunStore } from '@berth/agent-store';
import {
  CARD_ACTIONS,
  type CardPart,
  type ComponentFrame,
  createPartsBuilder,
  type Frame,
} from '@berth/contract/agent';
import type { Clock } from '@berth/kit';

import { readLogged } from './read-logged.ts';
import type { EndedRun, FrameCursor, RunFrame } from './run-engine.ts';
import { createTextCoalescer, type FlushQueue } from './text-coalescer.ts';

/**
 * Why a run is aborted before its producer ends. `lost`: another instance has taken the run over. `handed_over`: this process
 * ends, and another one is to continue the run.
 */
export type AbortReason = 'stopped' | 'left' | 'budget' | 'closing' | 'lost' | 'handed_over';

/** Bytes of a batch that is kept in memory for readers although it is logged. */
const KEPT_BYTES = 8_192;

/** A run that is produced in this process. */
export type LiveRun = ReturnType<typeof createLiveRun>;

/** Records of earlier attempts of a run. */
export interface RunJournal {
  readonly attempt: number;
  readonly resumedAfter: readonly number[];
  readonly costMicroUsd: number;
  /** All logged frames, in order. */
  readonly frames: readonly Frame[];
}

/** The store of a run's frames, and whose run of which chat it is. */
interface LiveRunOptions {
  readonly id: string;
  readonly owner: OwnerKey;
  readonly chatId: string;
  readonly clock: Clock;
  readonly store: Pick<RunStore, 'frames'>;
  readonly flushQueue: FlushQueue;
  /** Set for a run that was taken over. */
  readonly journal?: RunJournal | undefined;
}

/**
 * Creates a run that is produced in this process; its readers read it as a {@link RunSource}.
 *
 * 1. Frames are numbered from 1 without gaps, in the order of the producer, over all attempts.
 * 2. A frame is in the tail, in the log, or in both: the tail has what is not logged yet, and the last batch that was.
 * 3. Producing never waits: not for the log and not for a reader.
 */
export function createLiveRun({ id, owner, chatId, clock, store, flushQueue, journal }: LiveRunOptions) {
  const { attempt = 1, resumedAfter = [], frames: recorded = [] } = journal ?? {};
  const controller = new AbortController();
  const listeners = new Set<() => void>();
  const tail: RunFrame[] = [];
  let lastSeq = recorded.length;
  let loggedSeq = lastSeq;
  let costMicroUsd = journal?.costMicroUsd ?? 0;
  let loggedCost = costMicroUsd;
  let unloggedBytes = 0;
  let totalBytes = 0;
  const built = createPartsBuilder();
  for (const frame of recorded) {
    const part = asPart(frame);
    if (part) built.add(part);
  }
  let abortReason: AbortReason | undefined;
  let status: EndedRun['status'] | 'moved' | undefined;

  const wake = () => {
    for (const listener of listeners) listener();
  };
  const coalescer = createTextCoalescer(clock, flushQueue, (frame) => {
    // What a producer still says after a handover is said again by the next attempt.
    if (status || abortReason === 'handed_over') return;
    const json = JSON.stringify(frame);
    lastSeq++;
    tail.push({ seq: lastSeq, json });
    unloggedBytes += json.length;
    totalBytes += json.length;
    const part = asPart(frame);
    if (part) built.add(part);
    wake();
  });
  const firstOfTail = () => lastSeq - tail.length + 1;

  return {
    id,
    owner,
    chatId,
    get attempt() {
      return attempt;
    },
    signal: controller.signal,
    get abortReason() {
      return abortReason;
    },
    get parts() {
      return built.parts;
    },
    get lastSeq() {
      return lastSeq;
    },
    /** Bytes not logged yet. */
    get unloggedBytes() {
      return unloggedBytes;
    },
    /** Cost so far, of all attempts. */
    get costMicroUsd() {
      return Math.round(costMicroUsd);
    },
    /** Adds to the cost. NaN and Infinity, which would spoil the sum, are left out. */
    addCost(usd: number): void {
      if (Number.isFinite(usd)) costMicroUsd += Math.max(0, usd) * 1e6;
    },
    /** Returns where a reader continues: after its frame, or at the first one when the frame's attempt had not logged it. */
    startOf(cursor: Pick<FrameCursor, 'attempt' | 'seq'>): number {
      return startAfter(cursor, { attempt, resumedAfter });
    },
    push: coalescer.push,
    flush: coalescer.flush,
    /** Aborts the producer. The first reason stands. */
    abort(reason: AbortReason): void {
      if (abortReason || status) return;
      if (reason === 'handed_over') coalescer.flush();
      abortReason = reason;
      controller.abort(new Error(`the turn was ended: ${reason}`));
    },
    /** Returns the frames and the cost that are not logged yet; undefined when there are none. */
    unlogged(): RunProgress | undefined {
      if (loggedSeq === lastSeq && loggedCost === costMicroUsd) return undefined;
      const frames = tail.slice(loggedSeq + 1 - firstOfTail()).map(({ json }) => json);
      return {
        ...{ runId: id, attempt, firstSeq: loggedSeq + 1, frames },
        ...(loggedCost !== costMicroUsd && { costMicroUsd: Math.round(costMicroUsd) }),
      };
    },
    /** Marks what {@link unlogged} returned as logged. */
    logged(progress: RunProgress): void {
      const seq = progress.firstSeq + progress.frames.length - 1;
      if (progress.costMicroUsd === Math.round(costMicroUsd)) loggedCost = costMicroUsd;
      const first = firstOfTail();
      let bytes = 0;
      for (let index = loggedSeq + 1; index <= seq; index++) bytes += tail[index - first]?.json.length ?? 0;
      unloggedBytes -= bytes;
      // Readers that are no further behind than the last batch find it in memory, the others read the log. What is let go of this
      // early costs the garbage collector nothing.
      const kept = bytes > KEPT_BYTES ? seq : loggedSeq;
      tail.splice(0, kept - first + 1);
      loggedSeq = Math.max(loggedSeq, seq);
    },
    /** Ends the run; readers end with the status after the last frame. */
    end(ended: EndedRun['status'] | 'moved'): void {
      coalescer.flush();
      status ??= ended;
      wake();
    },
    bytesSoFar: () => totalBytes,
    hasAfter: (seq: number) => lastSeq > seq,
    read(afterSeq: number, maxBytes: number): Promise<readonly RunFrame[]> | readonly RunFrame[] {
      const first = firstOfTail();
      if (afterSeq + 1 < first) return readLogged(store, { owner, id }, afterSeq, maxBytes);
      return takeBytes(tail, afterSeq + 1 - first, maxBytes);
    },
    endAfter: (seq: number) => (seq >= lastSeq ? status : undefined),
    listen(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Returns the frames from `index` on that fit; at least one. */
function takeBytes(frames: readonly RunFrame[], index: number, maxBytes: number): readonly RunFrame[] {
  let bytes = 0;
  let end = index;
  while (end < frames.length && (end === index || bytes < maxBytes)) {
    bytes += frames[end]?.json.length ?? 0;
    end++;
  }
  return frames.slice(index, end);
}

/** Returns what a frame adds to the stored answer: a component, or a card that waits for the person. */
export function asPart(frame: Frame): ComponentFrame | CardPart | undefined {
  if (isComponent(frame)) return frame;
  return frame.type === 'ui' && CARD_ACTIONS.includes(frame.action) ? { type: 'card', card: frame } : undefined;
}

/**
 * Returns where a reader of a run continues: after its last frame, or at the first frame of the run. The latter when the frame
 * is one of the last 100 ms of a process that ended, which no one else has: the next attempt says something else instead.
 */
export function startAfter(
  { attempt, seq }: Pick<FrameCursor, 'attempt' | 'seq'>,
  run: { readonly attempt: number; readonly resumedAfter: readonly number[] },
): number {
  if (attempt === undefined || attempt >= run.attempt) return seq;
  return seq <= (run.resumedAfter[attempt - 1] ?? 0) ? seq : 0;
}

/** True for a frame that becomes part of the answer. */
export function isComponent(frame: Frame): frame is ComponentFrame {
  return frame.type !== 'chat_id' && frame.type !== 'ping' && frame.type !== 'ui';
}
