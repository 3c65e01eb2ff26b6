import type { FrameBatch, OwnerKey, RunStore } from '@berth/agent-store';
import {
  CARD_ACTIONS,
  type CardPart,
  type ComponentFrame,
  createPartsBuilder,
  type Frame,
} from '@berth/contract/agent';
import type { Clock } from '@berth/kit';
import { readLogged } from './logged-run.ts';
import type { EndedRun, RunFrame } from './run-engine.ts';
import { createTextCoalescer, type TextPace } from './text-coalescer.ts';

/** Why a run is aborted before its producer ends. */
export type AbortReason = 'stopped' | 'left' | 'budget' | 'closing' | 'lost';

/** Bytes of logged frames kept in memory for readers. Readers further behind read the log. */
const TAIL_BYTES = 8_192;
/** Bytes of a frame besides its text. */
const FRAME_BYTES = 100;

/** A run that is produced in this process. */
export type LiveRun = ReturnType<typeof createLiveRun>;

/** The store of a run's frames, and whose run of which chat it is. */
interface LiveRunOptions {
  readonly id: string;
  readonly owner: OwnerKey;
  readonly chatId: string;
  readonly clock: Clock;
  readonly store: Pick<RunStore, 'frames'>;
  readonly pace: TextPace;
}

/**
 * Creates a run that is produced in this process; its readers read it as a {@link RunSource}.
 *
 * 1. Frames are numbered from 1 without gaps, in the order of the producer.
 * 2. A frame is in the tail, in the log, or in both.
 * 3. Producing never waits: not for the log and not for a reader.
 */
export function createLiveRun({ id, owner, chatId, clock, store, pace }: LiveRunOptions) {
  const controller = new AbortController();
  const listeners = new Set<() => void>();
  let tail: RunFrame[] = [];
  let tailBytes = 0;
  let lastSeq = 0;
  let loggedSeq = 0;
  let unloggedBytes = 0;
  let totalBytes = 0;
  const built = createPartsBuilder();
  let abortReason: AbortReason | undefined;
  let status: EndedRun['status'] | undefined;

  const wake = () => {
    for (const listener of listeners) listener();
  };
  const coalescer = createTextCoalescer(clock, pace, (frame) => {
    if (status) return;
    const json = JSON.stringify(frame);
    lastSeq++;
    tail.push({ seq: lastSeq, json });
    tailBytes += json.length + FRAME_BYTES;
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
    signal: controller.signal,
    get abortReason() {
      return abortReason;
    },
    parts: built.parts,
    /** Bytes not logged yet. */
    get unloggedBytes() {
      return unloggedBytes;
    },
    push: coalescer.push,
    flush: coalescer.flush,
    /** Aborts the producer. The first reason stands. */
    abort(reason: AbortReason): void {
      if (abortReason || status) return;
      abortReason = reason;
      controller.abort(new Error(`the turn was ended: ${reason}`));
    },
    /** Returns the frames not logged yet; undefined when there are none. */
    unlogged(): FrameBatch | undefined {
      if (loggedSeq === lastSeq) return undefined;
      const frames = tail.slice(loggedSeq + 1 - firstOfTail()).map(({ json }) => json);
      return { firstSeq: loggedSeq + 1, frames };
    },
    /** Marks the frames up to `seq` as logged. */
    logged(seq: number): void {
      const first = firstOfTail();
      for (let index = loggedSeq + 1; index <= seq; index++) unloggedBytes -= tail[index - first]?.json.length ?? 0;
      loggedSeq = Math.max(loggedSeq, seq);
      // Dropping half at a time keeps the cost per frame low.
      if (tailBytes <= TAIL_BYTES) return;
      let count = 0;
      while (count < tail.length && first + count <= loggedSeq && tailBytes > TAIL_BYTES / 2) {
        tailBytes -= (tail[count]?.json.length ?? 0) + FRAME_BYTES;
        count++;
      }
      tail = tail.slice(count);
    },
    /** Ends the run; readers end with the status after the last frame. */
    end(ended: EndedRun['status']): void {
      coalescer.flush();
      status ??= ended;
      wake();
    },
    bytesSoFar: () => totalBytes,
    hasAfter: (seq: number) => lastSeq > seq,
    async read(afterSeq: number, maxBytes: number): Promise<readonly RunFrame[]> {
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

/** True for a frame that becomes part of the answer. */
export function isComponent(frame: Frame): frame is ComponentFrame {
  return frame.type !== 'chat_id' && frame.type !== 'ping' && frame.type !== 'ui';
}
