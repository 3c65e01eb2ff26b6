import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HandlerItem } from '@berth/agent-core';
import { AGENT_LIMITS, type ComponentFrame, type TextFrame, type UiFrame } from '@berth/contract/agent';
import type { Clock, Logger, Timer } from '@berth/kit';
import type { EmitFrame } from '../runs/run-engine.ts';
import { createItemReader } from './handler-item.ts';

/** How long a handler may continue after its signal aborts: enough to report how its tools ended. */
export const STOP_GRACE_MS = 1_000;

/** A handler that never waits would block every other turn, so it yields to the event loop after this many items or bytes. */
const ITEMS_A_TURN = 128;
const BYTES_A_TURN = 1_048_576;

/** Longer text is split into several frames. */
const TEXT_CHARACTERS = 65_536;

/** Return type of a handler: an iterable, a single item, or a promise of either. */
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
  /** Takes the frames. */
  readonly emit: EmitFrame;
  /** Limit of all frames in bytes, above which the turn fails; {@link AGENT_LIMITS.runBytes} by default. */
  readonly limitBytes?: number;
}

/**
 * Emits the frames of a handler's items, and resolves with what the handler returned; with undefined if it did not end in time.
 * Whatever the handler does, this ends at most {@link STOP_GRACE_MS} after `signal` aborts, and yields to the event loop.
 * @throws what the handler throws, unless it was aborted; TypeError for a component with wrong fields, RangeError for too many bytes.
 */
export function emitHandlerFrames({
  output,
  signal,
  clock,
  log,
  emit,
  limitBytes = AGENT_LIMITS.runBytes,
}: HandlerFramesOptions): Promise<unknown> {
  const framesOf = createItemReader(log);
  let items = 0;
  let bytes = 0;
  let bytesOfTurn = 0;
  // Callbacks instead of a loop that awaits: a process with many turns spends its time on what each frame passes through.
  return new Promise((resolve, reject) => {
    let iterator: Iterator<HandlerItem, unknown> | AsyncIterator<HandlerItem, unknown> | undefined;
    let isOver = false;
    let timer: Timer | undefined;
    const finish = (value?: unknown): void => {
      if (isOver) return;
      isOver = true;
      timer?.cancel();
      signal.removeEventListener('abort', beginGrace);
      resolve(value);
    };
    const giveUp = (): void => {
      finish();
      leave(iterator);
    };
    const beginGrace = (): void => {
      timer = clock.setTimer(STOP_GRACE_MS, giveUp);
    };
    const fail = (error: unknown): void => {
      // An aborted handler throws the signal's reason, which is the expected end.
      if (!signal.aborted && !isOver) reject(error);
      finish();
    };
    /** Emits the frames of an item; returns what has to be waited for before the next. */
    const take = (item: HandlerItem): Promise<void> | undefined => {
      let taken: Promise<void> | undefined;
      for (const frame of framesOf(item)) {
        const size = sizeOf(frame);
        bytes += size;
        bytesOfTurn += size;
        if (bytes > limitBytes) throw new RangeError(`the handler yielded more than ${limitBytes} bytes`);
        for (const part of frame.type === 'text' ? splitText(frame) : [frame]) taken = emit(part) ?? taken;
      }
      if (++items % ITEMS_A_TURN !== 0 && bytesOfTurn <= BYTES_A_TURN) return taken;
      bytesOfTurn = 0;
      return taken ? taken.then(() => nextTurn()) : nextTurn();
    };
    const onNext = (next: IteratorResult<HandlerItem, unknown>): void => {
      if (isOver) return;
      if (next.done) {
        finish(next.value);
        return;
      }
      try {
        const wait = take(next.value);
        if (wait) wait.then(step, fail);
        else step();
      } catch (error) {
        fail(error);
        leave(iterator);
      }
    };
    const step = (): void => {
      if (isOver || !iterator) return;
      try {
        Promise.resolve(iterator.next()).then(onNext, fail);
      } catch (error) {
        fail(error);
      }
    };
    if (signal.aborted) beginGrace();
    else signal.addEventListener('abort', beginGrace, { once: true });
    const begin = (given: Awaited<HandlerOutput>): void => {
      iterator = iterate(given);
      if (isOver) leave(iterator);
      else step();
    };
    Promise.resolve(output).then(begin).catch(fail);
  });
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

/** Splits long text into several frames; keeps surrogate pairs whole. */
function splitText(frame: TextFrame): readonly TextFrame[] {
  const { text } = frame;
  if (text.length <= TEXT_CHARACTERS) return [frame];
  const parts: TextFrame[] = [];
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + TEXT_CHARACTERS, text.length);
    if (end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1))) end--;
    parts.push({ type: 'text', text: text.slice(start, end) });
    start = end;
  }
  return parts;
}

/** Returns the size of the frame as JSON, approximate for text. @throws TypeError for a value that JSON can't hold. */
function sizeOf(frame: ComponentFrame | UiFrame): number {
  return frame.type === 'text' ? frame.text.length : JSON.stringify(frame).length;
}
