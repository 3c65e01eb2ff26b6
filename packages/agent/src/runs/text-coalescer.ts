import type { Frame, TextFrame, ThinkingFrame } from '@berth/contract/agent';
import type { Clock, Timer } from '@berth/kit';

/** Text within this time is joined to one frame, which saves a frame per reader without a visible delay. */
export const COALESCE_MS = 40;
/** The same while the process is late. */
const MAX_COALESCE_MS = 160;
/** Timers are this late, in milliseconds, in a process that keeps up. */
const USUAL_DELAY_MS = 20;

/** How long text is joined. */
export type TextPace = ReturnType<typeof createTextPace>;

/**
 * Creates the pace of all turns of a process: 40 ms, and up to 160 ms while its timers fire late. Frames are what a busy process
 * spends its time on, so that it catches up by sending the same text in fewer of them.
 */
export function createTextPace() {
  let delayMs = 0;
  return {
    /** Records how late a timer fired, in milliseconds. */
    observe(lateMs: number): void {
      delayMs += (lateMs - delayMs) / 4;
    },
    /** Milliseconds. */
    get joinMs() {
      const longer = 5 * Math.max(0, delayMs - USUAL_DELAY_MS);
      return Math.min(COALESCE_MS + longer, MAX_COALESCE_MS);
    },
  };
}

/**
 * Creates a coalescer, which joins consecutive text frames of a producer and passes all others on, in order. It emits the first
 * text at once, and text after {@link TextPace.joinMs} of quiet too; it holds text that comes sooner until they are over. Any other
 * frame flushes first.
 */
export function createTextCoalescer(clock: Clock, pace: Pick<TextPace, 'joinMs'>, emit: (frame: Frame) => void) {
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
    quietFromMs = clock.monotonicMs() + pace.joinMs;
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
