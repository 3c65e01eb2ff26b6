import { createFakeClock } from '@berth/testkit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHost, type Reservation } from './host.ts';

const BUDGET = { memoryBytes: 1_000, cpuMillis: 2_000 };
const RESERVE_RATIO = 0.1;

const step = fc.oneof(
  fc.record({
    kind: fc.constant('reserve' as const),
    deployment: fc.constantFrom('a', 'b', 'c', 'd'),
    revision: fc.constantFrom('1', '2'),
    memoryBytes: fc.integer({ min: 1, max: 400 }),
    cpuMillis: fc.integer({ min: 0, max: 900 }),
  }),
  fc.record({ kind: fc.constantFrom('release' as const, 'leave' as const, 'abort' as const), pick: fc.nat(1_000) }),
);

interface Held {
  readonly deployment: string;
  readonly revision: string;
  readonly memoryBytes: number;
  readonly cpuMillis: number;
  readonly reservation: Reservation;
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

test('whatever comes and goes: the budget holds, growth leaves a reserve or is below its share, and all that was promised is kept', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const host = createHost({
        ...BUDGET,
        clock: createFakeClock(),
        simultaneousStarts: 4,
        startSlotHoldMs: 1_000,
        reclaimable: () => [],
        findReclaimable: async () => false,
        onCapacityFreed() {},
      });
      const held: Held[] = [];
      const leaving = new Set<Held>();
      const waiting = new Map<Promise<void>, AbortController>();
      const sum = (list: readonly Held[], key: 'memoryBytes' | 'cpuMillis') =>
        list.reduce((total, one) => total + one[key], 0);
      const free = (key: 'memoryBytes' | 'cpuMillis') => BUDGET[key] - sum(held, key);

      for (const one of steps) {
        if (one.kind === 'reserve') {
          const abort = new AbortController();
          const wasFirst = !held.some(
            (other) => other.deployment === one.deployment && other.revision === one.revision,
          );
          const wouldFit = one.memoryBytes <= free('memoryBytes') && one.cpuMillis <= free('cpuMillis');
          const isQuiet = waiting.size === 0;
          let given = false;
          const asked = host.reserve(one, abort.signal).then(
            (reservation) => {
              given = true;
              held.push({ ...one, reservation });
            },
            () => {},
          );
          waiting.set(asked, abort);
          void asked.then(() => waiting.delete(asked));
          await settle();
          // H1
          expect(free('memoryBytes')).toBeGreaterThanOrEqual(0);
          expect(free('cpuMillis')).toBeGreaterThanOrEqual(0);
          if (wasFirst && wouldFit && isQuiet) expect(given).toBe(true);
          if (given && !wasFirst) {
            // H4
            const own = held.filter((other) => other.deployment === one.deployment);
            const share = Math.max(
              sum(own, 'memoryBytes') / BUDGET.memoryBytes,
              sum(own, 'cpuMillis') / BUDGET.cpuMillis,
            );
            const services = new Set(held.map((other) => other.deployment)).size;
            const isReserveLeft =
              free('memoryBytes') + sum([...leaving], 'memoryBytes') >= BUDGET.memoryBytes * RESERVE_RATIO &&
              free('cpuMillis') + sum([...leaving], 'cpuMillis') >= BUDGET.cpuMillis * RESERVE_RATIO;
            expect(isReserveLeft || share <= 1 / (services + 1)).toBe(true);
          }
        } else if (one.kind === 'abort') {
          const controllers = [...waiting.values()];
          controllers[one.pick % controllers.length]?.abort(new Error('enough'));
          await settle();
        } else {
          const picked = held[one.pick % held.length];
          if (picked === undefined) continue;
          if (one.kind === 'leave') {
            picked.reservation.releaseSoon();
            leaving.add(picked);
          } else {
            held.splice(held.indexOf(picked), 1);
            leaving.delete(picked);
            picked.reservation.release();
            await settle();
          }
        }
        // Promised room is that of instances that leave: no one waits when none does.
        if (leaving.size === 0) expect(waiting.size).toBe(0);
      }
      for (const one of [...leaving]) {
        held.splice(held.indexOf(one), 1);
        one.reservation.release();
        await settle();
      }
      expect(waiting.size).toBe(0);
      for (const one of held) one.reservation.release();
      expect(host.fits({ memoryBytes: 1, cpuMillis: 2 })).toBe(900);
    }),
    { numRuns: 300 },
  );
});
