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
