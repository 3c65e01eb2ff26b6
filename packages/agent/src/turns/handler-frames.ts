import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HandlerItem } from '@berth/agent-core';
import { AGENT_LIMITS, type ComponentFrame, type UiFrame } from '@berth/contract/agent';
import type { Clock, Logger } from '@berth/kit';
import { createItemReader } from './handler-item.ts';

/** How long a handler may continue after its signal aborts: enough to report how its tools ended. */
export const STOP_GRACE_MS = 1_000;

/** A handler that never waits would block every other turn, so it yields to the event loop after this many items or bytes. */
const ITEMS_A_TURN = 128;
const BYTES_A_TURN = 1_048_576;

/** Longer text is split into several frames. */
const TEXT_CHARACTERS = 65_536;

/** What a handler may return: an iterable, a single item, or a promise of either. */
export type HandlerOutput =
  | AsyncIterable<HandlerItem, unknown>
  | Iterable<HandlerItem, unknown>
  | HandlerItem
  | Promise<AsyncIterable<HandlerItem, unknown> | Iterable<HandlerItem, unknown> | HandlerItem>;

interface HandlerFramesOptions {
  readonly output: HandlerOutput;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Logger;
  /** Limit of all frames in bytes, above which the turn fails; {@link AGENT_LIMITS.runBytes} by default. */
  readonly limitBytes?: number;
}

/**
 * Yields the frames of a handler's items, and returns what the handler returned; undefined if it did not end in time.
 * Whatever the handler does, the generator ends at most {@link STOP_GRACE_MS} after `signal` aborts, and yields to the event loop.
 * @throws what the handler throws, unless it was aborted; TypeError for a component with wrong fields, RangeError for too many bytes.
 */
export async function* handlerFrames({
  output,
  signal,
  clock,
  log,
  limitBytes = AGENT_LIMITS.runBytes,
}: HandlerFramesOptions): AsyncGenerator<ComponentFrame | UiFrame, unknown> {
  const patience = createPatience(signal, clock);
  const framesOf = createItemReader(log);
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
      for (const frame of framesOf(next.value)) {
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
    // An aborted handler throws the signal's reason, which is the expected end.
    if (!signal.aborted) throw error;
    return undefined;
  } finally {
    patience.end();
    if (!isEnded) leave(iterator);
  }
}

const OVER = Symbol('the time after the signal is over');

/** Waits for a handler, at most until the grace period after its signal is over. */
function createPatience(signal: AbortSignal, clock: Clock) {
  let isOver = false;
  // One listener at a time, so that none pile up on a promise that lives as long as the turn.
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
  // A string is iterable too, but must not be sent letter by letter.
  if (typeof given === 'object' && given !== null) {
    if (Symbol.asyncIterator in given) return given[Symbol.asyncIterator]();
    if (Symbol.iterator in given) return given[Symbol.iterator]();
  }
  return [given].values();
}

/** Lets the handler run its cleanup, without waiting for it. */
function leave(iterator: Iterator<unknown, unknown> | AsyncIterator<unknown, unknown> | undefined): void {
  const end = async () => iterator?.return?.();
  // The turn has ended; an error of its cleanup has no reader.
  end().catch(() => {});
}

/** Splits text into pieces for frames; keeps surrogate pairs whole. */
function* splitText(text: string): Generator<ComponentFrame> {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + TEXT_CHARACTERS, text.length);
    if (end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1))) end--;
    yield { type: 'text', text: text.slice(start, end) };
    start = end;
  }
}

/** Returns the size of the frame as JSON, approximate for text. @throws TypeError for a value that JSON can't hold. */
function sizeOf(frame: ComponentFrame | UiFrame): number {
  return frame.type === 'text' ? frame.text.length : JSON.stringify(frame).length;
}
