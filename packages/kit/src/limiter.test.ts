import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLimiter, type Slot } from './limiter.ts';

const KEYS = [undefined, 'a', 'b'] as const;

/** A caller as observed by the test. */
interface Caller {
  readonly key: string | undefined;
  readonly abort: AbortController;
  slot?: Slot;
  ahead?: number;
  error?: unknown;
}

// Fails when `hasSlot` drops either bound (L1), `free` takes the last waiter (L2), or `onAbort` leaves the waiter in
// its lane (L3, positions).
test('holds its invariants and reports positions under any calls', async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('acquire' as const), at: fc.nat({ max: 2 }) }),
    fc.record({ kind: fc.constantFrom('release' as const, 'abort' as const), at: fc.nat({ max: 20 }) }),
  );
  const bounds = fc.record({
    concurrency: fc.constantFrom(1, 2, 3, Number.POSITIVE_INFINITY),
    concurrencyPerKey: fc.constantFrom(1, 2, Number.POSITIVE_INFINITY),
  });
  await fc.assert(
    fc.asyncProperty(bounds, fc.array(step, { maxLength: 40 }), async (options, steps) => {
      const limiter = createLimiter(options);
      const holding: Caller[] = [];
      let waiting: Caller[] = [];
      const isSame = (one: Caller) => (other: Caller) => other.key === one.key;
      for (const { kind, at } of steps) {
        if (kind === 'acquire') {
          const caller: Caller = { key: KEYS[at], abort: new AbortController() };
          waiting.push(caller);
          const onAhead = (ahead: number) => {
            // Reported at changes only.
            expect(ahead).not.toBe(caller.ahead);
            caller.ahead = ahead;
          };
          const { key, abort } = caller;
          limiter.acquire({ ...(key === undefined ? {} : { key }), signal: abort.signal, onAhead }).then(
            (slot) => {
              caller.slot = slot;
            },
            (error: unknown) => {
              caller.error = error;
            },
          );
        } else if (kind === 'release') {
          const [caller] = holding.splice(at % Math.max(1, holding.length), 1);
          caller?.slot?.release();
          caller?.slot?.release();
        } else {
          const all = [...holding, ...waiting];
          const caller = all[at % Math.max(1, all.length)];
          caller?.abort.abort('aborted');
          waiting = waiting.filter((one) => one !== caller);
        }
        // The model: the caller that has waited longest among those that may have a slot gets it, until no waiting
        // caller may.
        for (;;) {
          const next = waiting.find(
            (one) =>
              holding.length < options.concurrency && holding.filter(isSame(one)).length < options.concurrencyPerKey,
          );
          if (next === undefined) break;
          holding.push(next);
          waiting = waiting.filter((one) => one !== next);
        }
        await new Promise(setImmediate);
        expect(holding.every(({ slot }) => slot !== undefined)).toBe(true);
        expect(waiting.every(({ slot, error }) => slot === undefined && error === undefined)).toBe(true);
        expect(limiter.size).toBe(holding.length + waiting.length);
        for (const [index, one] of waiting.entries()) {
          const before = waiting.slice(0, index).filter(isSame(one)).length;
          expect(one.ahead).toBe(holding.filter(isSame(one)).length + before);
        }
      }
    }),
  );
});

test('an aborted caller gets the reason, before and while it waits', async () => {
  const limiter = createLimiter({ concurrency: 1 });
  const signal = AbortSignal.abort(new Error('too late'));
  await expect(limiter.acquire({ signal })).rejects.toThrow('too late');
  using _slot = await limiter.acquire();
  const abort = new AbortController();
  const waiting = limiter.acquire({ signal: abort.signal });
  abort.abort(new Error('changed its mind'));
  await expect(waiting).rejects.toThrow('changed its mind');
  expect(limiter.size).toBe(1);
});

// Fails when `acquire` calls `checkWait` after adding the caller.
test('checkWait can refuse callers by the counts', async () => {
  const seen: unknown[] = [];
  const limiter = createLimiter({
    concurrency: 2,
    checkWait(counts) {
      seen.push(counts);
      if (counts.waitingOfKey >= 1) throw new Error('full');
    },
  });
  const [first] = await Promise.all([limiter.acquire({ key: 'a' }), limiter.acquire({ key: 'b' })]);
  const second = limiter.acquire({ key: 'a' });
  await expect(limiter.acquire({ key: 'a' })).rejects.toThrow('full');
  expect(seen).toEqual([
    { waiting: 0, waitingOfKey: 0, holdingOfKey: 1 },
    { waiting: 1, waitingOfKey: 1, holdingOfKey: 1 },
  ]);
  first.release();
  await second;
  expect(limiter.size).toBe(2);
});

test('runs tasks in order, also after a failure, and never before `run` has returned', async () => {
  const limiter = createLimiter({ concurrency: 1 });
  const gate = Promise.withResolvers<void>();
  const order: string[] = [];
  const first = limiter.run(async () => {
    order.push('first');
    await gate.promise;
    throw new Error('no');
  });
  const second = limiter.run(() => order.push('second'));
  expect([order, limiter.size]).toEqual([[], 2]);
  gate.resolve();
  await expect(first).rejects.toThrow('no');
  await second;
  expect(order).toEqual(['first', 'second']);
  expect(limiter.size).toBe(0);
});
