import { createFakeClock } from '@berth/testkit';
import { describe, expect, test } from 'vitest';
import { createRunReader, type RunSource } from './create-run-reader.ts';
import type { ReaderEnd, RunFrame } from './run-engine.ts';

const MIB = 1_048_576;
const frame = (seq: number): RunFrame => ({ seq, json: `{"seq":${seq}}` });

/** A reader of a source that a test fills: `read` answers what `answer` says. */
function openReader(startMs = 0) {
  const clock = createFakeClock();
  clock.advance(startMs);
  const ends: ReaderEnd[] = [];
  let news = () => {};
  const state = {
    clock,
    ends,
    frames: [] as RunFrame[],
    bytes: 0,
    isOver: false,
    answer: async (found: readonly RunFrame[]) => found,
    tell: () => news(),
  };
  const source: RunSource = {
    attempt: 1,
    bytesSoFar: () => state.bytes,
    hasAfter: (seq) => state.frames.some((one) => one.seq > seq),
    read: (seq) => state.answer(state.frames.filter((one) => one.seq > seq)),
    endAfter: () => (state.isOver ? 'done' : undefined),
    listen(listener) {
      news = listener;
      return () => {
        news = () => {};
      };
    },
  };
  const reader = createRunReader({ runId: 'run_1', source, afterSeq: 0, clock, onEnd: (end) => ends.push(end) });
  return { state, reader, iterator: reader[Symbol.asyncIterator]() };
}

describe('a reader of a run', () => {
  // Fails when a frame that came during a read is found only with the next one.
  test('reads again before it waits when something came meanwhile', async () => {
    const { state, iterator } = openReader();
    let reads = 0;
    state.answer = async (found) => {
      reads++;
      if (reads === 1) {
        state.frames.push(frame(1));
        state.tell();
      }
      return found;
    };
    expect(await iterator.next()).toEqual({ done: false, value: [frame(1)] });
    expect(reads).toBe(2);
  });

  // Fails when it reads in a circle while nothing comes.
  test('waits for news after a read that found nothing', async () => {
    const { state, iterator } = openReader();
    let reads = 0;
    state.answer = async (found) => {
      if (++reads > 10) throw new Error('reads in a circle');
      return found;
    };
    const next = iterator.next();
    await state.clock.elapse(0);
    expect(reads).toBe(1);
    state.frames.push(frame(1));
    state.tell();
    expect(await next).toEqual({ done: false, value: [frame(1)] });
  });

  // Fails when what it was reading is given to a caller that has left, be it frames or an error.
  test.each([
    ['frames', async () => [frame(1)]],
    ['an error', async () => Promise.reject(new Error('away'))],
  ])('that is closed while it reads gives nothing: %s', async (_what, answer) => {
    const { state, reader, iterator } = openReader();
    const reading = Promise.withResolvers<void>();
    state.answer = () => reading.promise.then(answer);
    const next = iterator.next();
    reader.close();
    reading.resolve();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(state.ends).toEqual(['left']);
  });

  test('ends once, however often it is left', async () => {
    const { state, reader, iterator } = openReader();
    expect(await iterator.return?.()).toEqual({ done: true, value: undefined });
    reader.close();
    state.isOver = true;
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    expect([state.ends, await reader.ended]).toEqual([['left'], 'left']);
  });
});

describe('the patience with a reader', () => {
  test.each([
    ['30 s', 1, 30_000],
    ['30 s with exactly 1 MiB', MIB, 30_000],
    ['10 s with more', MIB + 1, 10_000],
  ])('is %s, also late in the life of the process', (_what, bytes, patienceMs) => {
    const { state, reader } = openReader(100_000);
    state.frames.push(frame(1));
    state.bytes = bytes;
    state.clock.advance(patienceMs);
    reader.cutIfSlow();
    expect(state.ends).toEqual([]);
    state.clock.advance(1);
    reader.cutIfSlow();
    expect(state.ends).toEqual(['too_slow']);
  });

  // Fails when a slow store counts as a slow reader.
  test('is not used up by a slow read', async () => {
    const { state, reader, iterator } = openReader();
    state.frames.push(frame(1));
    state.answer = async (found) => {
      await state.clock.sleep(60_000);
      return found;
    };
    const next = iterator.next();
    for (let step = 0; step < 59; step++) {
      await state.clock.elapse(1_000);
      reader.cutIfSlow();
    }
    await state.clock.elapse(1_000);
    expect(await next).toEqual({ done: false, value: [frame(1)] });
    reader.cutIfSlow();
    expect(state.ends).toEqual([]);
  });
});
