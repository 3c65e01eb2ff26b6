import type { Frame, TextFrame, ThinkingFrame } from '@berth/contract/agent';
import type { Clock, Timer } from '@berth/kit';

/** Text within this time is joined to one frame, which saves a frame per reader without a visible delay. */
export const COALESCE_MS = 40;

/** Flushes the text of all turns of a process that have some. */
export type FlushQueue = ReturnType<typeof createFlushQueue>;

/**
 * Creates the queue of a process. It flushes when the event loop has nothing else to do at once: in a process that keeps up that is
 * within a millisecond; one that is late joins what came meanwhile, and catches up with fewer frames.
 */
export function createFlushQueue() {
  let waiting: (() => void)[] = [];
  const flushAll = (): void => {
    const due = waiting;
    waiting = [];
    for (const flush of due) flush();
  };
  return {
    add(flush: () => void): void {
      if (waiting.push(flush) === 1) setImmediate(flushAll);
    },
  };
}

/**
 * Creates a coalescer, which joins consecutive text frames of a producer and passes all others on, in order. It emits the first
 * text as soon as the process gets to it, and text after {@link COALESCE_MS} of quiet too; it holds text that comes sooner until they
 * are over. Any other frame flushes first.
 */
export function createTextCoalescer(clock: Clock, queue: FlushQueue, emit: (frame: Frame) => void) {
  let held: TextFrame | ThinkingFrame | undefined;
  let timer: Timer | undefined;
  let isQueued = false;
  let quietFromMs = Number.NEGATIVE_INFINITY;
  /** Emits what is held back. */
  const flush = () => {
    timer?.cancel();
    timer = undefined;
    if (!held) return;
    const frame = held;
    held = undefined;
    quietFromMs = clock.monotonicMs() + COALESCE_MS;
    emit(frame);
  };
  const flushQueued = () => {
    isQueued = false;
    flush();
  };
  return {
    push(frame: Frame): void {
      if (frame.type !== 'text' && frame.type !== 'thinking') {
        flush();
        emit(frame);
        return;
      }
      const joined = held && join(held, frame);
      if (!joined) flush();
      held = joined ?? frame;
      if (isQueued || timer) return;
      const waitMs = quietFromMs - clock.monotonicMs();
      if (waitMs > 0) timer = clock.setTimer(waitMs, flush);
      else {
        isQueued = true;
        queue.add(flushQueued);
      }
    },
    flush,
  };
}

function join(held: TextFrame | ThinkingFrame, next: TextFrame | ThinkingFrame): TextFrame | ThinkingFrame | undefined {
  if (held.type === 'text' && next.type === 'text') return { type: 'text', text: held.text + next.text };
  if (held.type === 'thinking' && next.type === 'thinking') {
    return { type: 'thinking', thinking: held.thinking + next.thinking };
  }
  return undefined;
}
