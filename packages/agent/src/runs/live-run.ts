import type { FrameBatch, OwnerKey, RunStatus, RunStore } from '@berth/agent-store';
import { type ComponentFrame, createPartsBuilder, type Frame, type Part } from '@berth/contract/agent';
import type { Clock } from '@berth/kit';
import type { RunSource } from './create-run-reader.ts';
import { readLogged } from './logged-run.ts';
import type { RunFrame } from './run-engine.ts';
import { createTextCoalescer } from './text-coalescer.ts';

/** Why a run is aborted before its producer ends. */
export type AbortReason = 'stopped' | 'left' | 'budget' | 'closing' | 'lost';

/** Bytes of logged frames kept in memory for readers. Readers further behind read the log. */
const TAIL_BYTES = 32_768;
/** Bytes of a frame besides its text. */
const FRAME_BYTES = 100;

/** Options of {@link createLiveRun}. */
export interface LiveRunOptions {
  readonly id: string;
  readonly owner: OwnerKey;
  readonly chatId: string;
  readonly clock: Clock;
  readonly store: Pick<RunStore, 'frames'>;
}

/**
 * A run that is produced in this process.
 *
 * 1. Frames are numbered from 1 without gaps, in the order of the producer.
 * 2. A frame is in the tail, in the log, or in both.
 * 3. Producing never waits: not for the log and not for a reader.
 */
export interface LiveRun extends RunSource {
  readonly id: string;
  readonly owner: OwnerKey;
  readonly chatId: string;
  readonly signal: AbortSignal;
  readonly abortReason: AbortReason | undefined;
  readonly parts: readonly Part[];
  /** Bytes not logged yet. */
  readonly unloggedBytes: number;
  push(frame: Frame): void;
  /** Emits the text that is held back. */
  flush(): void;
  /** The first reason stands. */
  abort(reason: AbortReason): void;
  /** Returns the frames not logged yet; undefined when there are none. */
  unlogged(): FrameBatch | undefined;
  /** Marks the frames up to `seq` as logged. */
  logged(seq: number): void;
  /** Ends the run; readers end with `status` after the last frame. */
  end(status: Exclude<RunStatus, 'running'>): void;
}

export function createLiveRun({ id, owner, chatId, clock, store }: LiveRunOptions): LiveRun {
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
  let status: Exclude<RunStatus, 'running'> | undefined;

  const wake = () => {
    for (const listener of listeners) listener();
  };
  const coalescer = createTextCoalescer(clock, (frame) => {
    if (status) return;
    const json = JSON.stringify(frame);
    lastSeq++;
    tail.push({ seq: lastSeq, json });
    tailBytes += json.length + FRAME_BYTES;
    unloggedBytes += json.length;
    totalBytes += json.length;
    if (isComponent(frame)) built.add(frame);
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
    get unloggedBytes() {
      return unloggedBytes;
    },
    push: coalescer.push,
    flush: coalescer.flush,
    abort(reason) {
      if (abortReason || status) return;
      abortReason = reason;
      controller.abort(new Error(`the turn was ended: ${reason}`));
    },
    unlogged() {
      if (loggedSeq === lastSeq) return undefined;
      const frames = tail.slice(loggedSeq + 1 - firstOfTail()).map(({ json }) => json);
      return { firstSeq: loggedSeq + 1, frames };
    },
    logged(seq) {
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
    end(ended) {
      coalescer.flush();
      status ??= ended;
      wake();
    },
    bytesSoFar: () => totalBytes,
    hasAfter: (seq) => lastSeq > seq,
    async read(afterSeq, maxBytes) {
      const first = firstOfTail();
      if (afterSeq + 1 < first) return readLogged(store, owner, id, afterSeq, maxBytes);
      return takeBytes(tail, afterSeq + 1 - first, maxBytes);
    },
    endAfter: (seq) => (seq >= lastSeq ? status : undefined),
    listen(listener) {
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

function isComponent(frame: Frame): frame is ComponentFrame {
  return frame.type !== 'chat_id' && frame.type !== 'ping' && frame.type !== 'ui';
}
