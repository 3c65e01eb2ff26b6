import { createFakeClock } from '@berth/testkit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Timed, TimeoutList } from './timeout-list.ts';

test('every item that stays fires once, at its deadline; one that left never does', () => {
  const step = fc.record({
    afterMs: fc.nat({ max: 50 }),
    timeoutMs: fc.nat({ max: 200 }),
    removes: fc.option(fc.nat({ max: 30 }), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const clock = createFakeClock();
      const list = new TimeoutList(clock);
      const fired: number[] = [];
      const waiting: Timed[] = [];
      for (const { afterMs, timeoutMs, removes } of steps) {
        clock.advance(afterMs);
        const item: Timed = {
          timeoutAtMs: clock.monotonicMs() + timeoutMs,
          nextTimed: null,
          previousTimed: null,
          onTimeout() {
            expect(clock.monotonicMs()).toBe(item.timeoutAtMs);
            fired.push(waiting.splice(waiting.indexOf(item), 1).length);
          },
        };
        waiting.push(item);
        list.add(item);
        if (removes === undefined) continue;
        const [removed] = waiting.splice(removes % Math.max(1, waiting.length), 1);
        if (removed) list.remove(removed);
      }
      const left = waiting.length + fired.length;
      clock.advance(1_000);
      expect(waiting).toEqual([]);
      expect(fired).toHaveLength(left);
      expect(clock.pending).toBe(0);
    }),
  );
});

// Fails when equal deadlines change places, or when the timer is set again for one that isn't earlier.
test('equal deadlines fire in the order they came, and share one timer', () => {
  const clock = createFakeClock();
  let timersSet = 0;
  const counting = {
    ...clock,
    monotonicMs: () => clock.monotonicMs(),
    setTimer(delayMs: number, callback: () => void) {
      timersSet++;
      return clock.setTimer(delayMs, callback);
    },
  };
  const list = new TimeoutList(counting);
  const fired: string[] = [];
  const add = (name: string, timeoutAtMs: number, onTimeout = () => {}) =>
    list.add({
      timeoutAtMs,
      nextTimed: null,
      previousTimed: null,
      onTimeout() {
        fired.push(name);
        onTimeout();
      },
    });
  const startMs = clock.monotonicMs();
  add('first', startMs + 100);
  add('second', startMs + 100, () => add('third', startMs + 300));
  expect(timersSet).toBe(1);
  clock.advance(100);
  expect([fired, timersSet]).toEqual([['first', 'second'], 2]);
  clock.advance(200);
  expect([fired, timersSet, clock.pending]).toEqual([['first', 'second', 'third'], 2, 0]);
});
