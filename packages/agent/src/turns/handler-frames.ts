import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HandlerItem } from '@berth/agent-core';
import { AGENT_LIMITS, type ComponentFrame, type UiFrame } from '@berth/contract/agent';
import type { Clock } from '@berth/kit';
import { toFrame } from './to-frame.ts';

/** How long a handler may go on after its signal: enough to say how its tools ended, too little to keep anyone waiting. */
export const STOP_GRACE_MS = 1_000;

/** A handler that never waits would keep every other turn from going on: after so many items, or bytes, others have theirs. */
const ITEMS_A_TURN = 128;
const BYTES_A_TURN = 1_048_576;

/** Longer text becomes several frames. */
const TEXT_CHARACTERS = 65_536;

/** What a handler gives: anything that it can be iterated as, or a single item, or a promise of either. */
export type HandlerOutput =
  | AsyncIterable<HandlerItem, unknown>
  | Iterable<HandlerItem, unknown>
  | HandlerItem
  | Promise<AsyncIterable<HandlerItem, unknown> | Iterable<HandlerItem, unknown> | HandlerItem>;

export interface HandlerFramesOptions {
  readonly output: HandlerOutput;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** At more bytes of frames the turn fails; {@link AGENT_LIMITS.runBytes} by default. */
  readonly limitBytes?: number;
}

/**
 * The frames of what a handler yields; returns what the handler returned, undefined when it was left behind.
 * Whatever the handler does, the generator ends at most {@link STOP_GRACE_MS} after `signal`, and leaves the event loop to others in between.
 * @throws what the handler throws, unless it was aborted; TypeError for what is no component, RangeError for too much.
 */
export async function* handlerFrames({
  output,
  signal,
  clock,
  limitBytes = AGENT_LIMITS.runBytes,
}: HandlerFramesOptions): AsyncGenerator<ComponentFrame | UiFrame, unknown> {
  const patience = createPatience(signal, clock);
  let items = 0;
  let bytes = 0;
  let bytesOfTurn = 0;
  let iterator: Iterator<HandlerItem, unknown> | AsyncIterator<HandlerItem, unknown> | undefined;
  let isEnded = false;
  try {
    const given = await patience.waitFor(output);
    if (given === OVER) return undefined;
    iterator = iterate(given);
    for (;;) {
      const next = await patience.waitFor(iterator.next());
      if (next === OVER) return undefined;
      isEnded = next.done === true;
      if (next.done) return next.value;
      const frame = toFrame(next.value);
      if (frame) {
        const size = sizeOf(frame);
        bytes += size;
        bytesOfTurn += size;
        if (bytes > limitBytes) throw new RangeError(`the handler yielded more than ${limitBytes} bytes`);
        if (frame.type === 'text' && frame.text.length > TEXT_CHARACTERS) yield* splitText(frame.text);
        else yield frame;
      }
      if (++items % ITEMS_A_TURN === 0 || bytesOfTurn > BYTES_A_TURN) {
        bytesOfTurn = 0;
        await nextTurn();
      }
    }
  } catch (error) {
    // What is aborted throws its reason; that is the end that was asked for.
    if (!signal.aborted) throw error;
    return undefined;
  } finally {
    patience.end();
    if (!isEnded) leave(iterator);
  }
}

const OVER = Symbol('the time after the signal is over');

/** Waits for a handler until some time after its signal. */
function createPatience(signal: AbortSignal, clock: Clock) {
  let isOver = false;
  // One at a time, so that nothing piles up on a promise that lives as long as the turn.
  let giveUp: ((over: typeof OVER) => void) | undefined;
  let timer: { cancel(): void } | undefined;
  const begin = () => {
    timer = clock.setTimer(STOP_GRACE_MS, () => {
      isOver = true;
      giveUp?.(OVER);
    });
  };
  if (signal.aborted) begin();
  else signal.addEventListener('abort', begin, { once: true });
  return {
    waitFor<Value>(value: Value | PromiseLike<Value>): Promise<Value | typeof OVER> {
      return new Promise((resolve, reject) => {
        if (isOver) resolve(OVER);
        else giveUp = resolve;
        Promise.resolve(value).then(resolve, reject);
      });
    },
    end() {
      timer?.cancel();
      signal.removeEventListener('abort', begin);
    },
  };
}

function iterate(given: Awaited<HandlerOutput>): Iterator<HandlerItem, unknown> | AsyncIterator<HandlerItem, unknown> {
  // Text can be iterated too, letter by letter, which nobody wants.
  if (typeof given === 'object' && given !== null) {
    if (Symbol.asyncIterator in given) return given[Symbol.asyncIterator]();
    if (Symbol.iterator in given) return given[Symbol.iterator]();
  }
  return [given].values();
}

/** Lets the handler clean up behind itself, without waiting for one that never will. */
function leave(iterator: Iterator<unknown, unknown> | AsyncIterator<unknown, unknown> | undefined): void {
  const end = async () => iterator?.return?.();
  // What it throws now belongs to a turn that has had its end.
  end().catch(() => {});
}

/** Pieces that are frames of a reasonable size; a character of two units stays whole. */
function* splitText(text: string): Generator<ComponentFrame> {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + TEXT_CHARACTERS, text.length);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end--;
    yield { type: 'text', text: text.slice(start, end) };
    start = end;
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Bytes of the frame as JSON, of text nearly so. @throws TypeError for what can not be JSON. */
function sizeOf(frame: ComponentFrame | UiFrame): number {
  return frame.type === 'text' ? frame.text.length : JSON.stringify(frame).length;
}
