import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ClusterFixture, createClusterFixture, type TestGateway } from '../testing/cluster-fixture.ts';

type Step =
  | { readonly kind: 'requests'; readonly count: number; readonly pick: number }
  | { readonly kind: 'finish' | 'abandon' | 'crash' | 'kill' | 'move'; readonly pick: number }
  | { readonly kind: 'elapse'; readonly ms: number }
  | { readonly kind: 'start' };

const pick = fc.nat({ max: 1_000 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('requests' as const), count: fc.integer({ min: 1, max: 8 }), pick }),
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('finish' as const), pick }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('elapse' as const), ms: fc.constantFrom(1, 5, 60, 700, 2_500) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('abandon' as const, 'crash' as const), pick }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('kill' as const, 'move' as const), pick }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'start' as const }) },
);
const settings = fc.record({
  concurrency: fc.constantFrom(1, 2, 5, 10),
  maxInstances: fc.constantFrom(0, 1, 3),
});
const delays = fc.array(fc.constantFrom(0, 0, 1, 4, 30), { minLength: 1, maxLength: 30 });

function choose<Value>(from: readonly Value[], index: number): Value | undefined {
  return from[index % Math.max(1, from.length)];
}

/** Lets a gateway count the service, after the one that does has given it away or is gone. */
async function moveTo(fixture: ClusterFixture, owner: TestGateway | undefined, next: TestGateway): Promise<void> {
  const moved = owner?.isAlive === true ? fixture.leave(owner, [0]) : Promise.resolve();
  const taken = moved.then(() => fixture.take(next, [0]));
  // Both are answered, after two messages each.
  for (let waits = 0; waits < 300; waits++) await fixture.clock.elapse(1);
  await taken;
}

test('no instance has more requests than its concurrency, and none is lost, whichever gateways come, go and count', async () => {
  await fc.assert(
    fc.asyncProperty(
      settings,
      delays,
      fc.array(step, { minLength: 5, maxLength: 60 }),
      async (target, waits, steps) => {
        let next = 0;
        const fixture = createClusterFixture({ targets: [target], delayMs: () => waits[next++ % waits.length] ?? 0 });
        const { clock } = fixture;
        let owner = fixture.start();
        fixture.start();
        await clock.elapse(100);
        await moveTo(fixture, undefined, owner);
        const check = () => {
          for (const pod of fixture.pods) expect(fixture.inFlightOf(pod)).toBeLessThanOrEqual(target.concurrency);
          for (const { tickets } of fixture.living()) {
            for (const { outcomes } of tickets) expect(outcomes).toBeLessThanOrEqual(1);
          }
        };
        for (const doing of steps) {
          const living = fixture.living();
          if (doing.kind === 'requests') {
            for (let i = 0; i < doing.count; i++) choose(living, doing.pick)?.request();
          } else if (doing.kind === 'elapse') await clock.elapse(doing.ms);
          else if (doing.kind === 'start') {
            if (living.length < 4) fixture.start();
          } else if (doing.kind === 'finish') {
            const all = living.flatMap((gateway) => [...gateway.active].map((ticket) => ({ gateway, ticket })));
            const chosen = choose(all, doing.pick);
            chosen?.gateway.finish(chosen.ticket);
          } else if (doing.kind === 'abandon') {
            const all = living.flatMap((gateway) =>
              gateway.tickets.filter(({ isQueued }) => isQueued).map((ticket) => ({ gateway, ticket })),
            );
            const chosen = choose(all, doing.pick);
            chosen?.gateway.abandon(chosen.ticket);
          } else if (doing.kind === 'crash') {
            choose(
              fixture.pods.filter(({ hasExited }) => !hasExited),
              doing.pick,
            )?.exit();
            await clock.elapse(0);
          } else if (doing.kind === 'move') {
            const to = choose(living, doing.pick);
            if (to && to !== owner) {
              await moveTo(fixture, owner, to);
              owner = to;
            }
          } else if (living.length > 1) {
            const killed = choose(living, doing.pick) as TestGateway;
            fixture.kill(killed);
            check();
            if (killed === owner) {
              await clock.elapse(doing.pick * 3);
              owner = choose(fixture.living(), doing.pick) as TestGateway;
              await moveTo(fixture, undefined, owner);
            }
          }
          check();
        }
        // Everything that waits is served as slots come free.
        for (let round = 0; round < 100; round++) {
          for (const gateway of fixture.living()) for (const ticket of [...gateway.active]) gateway.finish(ticket);
          await clock.elapse(200);
          check();
        }
        for (const { tickets } of fixture.living()) {
          expect(tickets.filter(({ outcomes, isQueued }) => outcomes === 0 && isQueued)).toEqual([]);
          const reasons = tickets.flatMap(({ refusal }) => refusal?.reason ?? []);
          expect(
            reasons.filter(
              (reason) => !['queue_full', 'at_max_instances', 'crashed', 'no_gateway', 'starting'].includes(reason),
            ),
          ).toEqual([]);
        }
        for (const pod of fixture.pods) expect(fixture.inFlightOf(pod)).toBe(0);
        const { inFlight, queued } = owner.core.gateway.snapshot('hello') ?? { inFlight: 0, queued: 0 };
        expect({ inFlight, queued }).toEqual({ inFlight: 0, queued: 0 });
      },
    ),
    { numRuns: Number(process.env['RUNS'] ?? 150) },
  );
}, 120_000);
