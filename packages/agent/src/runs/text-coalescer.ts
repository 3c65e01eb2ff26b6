import type { Frame, TextFrame, ThinkingFrame } from '@berth/contract/agent';
import type { Clock, Timer } from '@berth/kit';

/** Text within this time is joined to one frame, which saves a frame per reader without a visible delay. */
export const COALESCE_MS = 40;

/**
 * Creates a coalescer, which joins consecutive text frames of a producer and passes all others on, in order. It emits the first
 * text at once, and text after 40 ms of quiet too; it holds text that comes sooner until the 40 ms are over. Any other frame
 * flushes first.
 */
export function createTextCoalescer(clock: Clock, emit: (frame: Frame) => void) {
  let held: TextFrame | ThinkingFrame | undefined;
  let timer: Timer | undefined;
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
      const waitMs = quietFromMs - clock.monotonicMs();
      if (waitMs <= 0) flush();
      else timer ??= clock.setTimer(waitMs, flush);
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
