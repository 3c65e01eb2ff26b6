import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FakeTicket } from '../testing/fake-ticket.ts';
import { createTargetFixture, type ServiceFixture } from '../testing/service-fixture.ts';
import { testTarget } from '../testing/test-target.ts';

const POLICY = { idleTimeoutMs: 30_000, suspendAfterMs: 12_000, shrinkDelayMs: 10_000 };

type Step =
  | { readonly kind: 'requests'; readonly count: number }
  | { readonly kind: 'finish' | 'abandon' | 'crash' | 'deafen' | 'listen' | 'work' | 'rest'; readonly pick: number }
  | { readonly kind: 'elapse'; readonly ms: number }
  | {
      readonly kind: 'plan';
      readonly listenAfterMs?: number;
      readonly exitAfterMs?: number;
      readonly stopTakesMs: number;
    }
  | { readonly kind: 'activate' };

const pick = fc.nat({ max: 1_000 });
const stopTakesMs = fc.constantFrom(0, 0, 3_000);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('requests' as const), count: fc.integer({ min: 1, max: 12 }) }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('finish' as const), pick }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('elapse' as const), ms: fc.constantFrom(1, 60, 700, 2_500, 15_000) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('abandon' as const, 'crash' as const, 'deafen' as const, 'listen' as const),
      pick,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.oneof(
      fc.record({
        kind: fc.constant('plan' as const),
        listenAfterMs: fc.constantFrom(0, 120, 4_000, 20_000),
        stopTakesMs,
      }),
      fc.record({ kind: fc.constant('plan' as const), exitAfterMs: fc.constantFrom(0, 90), stopTakesMs }),
    ),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('work' as const, 'rest' as const), pick }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'activate' as const }) },
);

const settings = fc.record({
  concurrency: fc.constantFrom(1, 2, 5, 10),
  maxInstances: fc.constantFrom(0, 1, 3),
  minInstances: fc.constantFrom(0, 0, 1),
  timeoutMs: fc.constantFrom(3_000, 60_000),
});

/** Instances that refuse connections. A refused connection is an answer: such an instance has no work. */
const deaf = new WeakSet<object>();

/** Applies one step. Does nothing when there is nothing to pick from. */
async function apply(fixture: ServiceFixture, doing: Step, revisions: { next: number }): Promise<void> {
  const choose = <Value>(from: readonly Value[], index: number) => from[index % Math.max(1, from.length)];
  if (doing.kind === 'requests') {
    for (let i = 0; i < doing.count; i++) fixture.request();
  } else if (doing.kind === 'elapse') {
    await fixture.clock.elapse(doing.ms);
  } else if (doing.kind === 'plan') {
    fixture.plan = doing;
  } else if (doing.kind === 'activate') {
    const target = { ...fixture.table.find('hello')!.current!.target, revision: `rev-${revisions.next++}` };
    fixture.table.activate(target, { signal: new AbortController().signal }).catch(() => {});
    await fixture.clock.elapse(0);
  } else if (doing.kind === 'finish') {
    const ticket = choose([...fixture.active], doing.pick);
    if (ticket) fixture.finish(ticket);
  } else if (doing.kind === 'abandon') {
    const ticket = choose(
      fixture.tickets.filter((each) => each.isQueued),
      doing.pick,
    );
    if (ticket) fixture.abandon(ticket);
  } else if (doing.kind === 'work') {
    // Work begins with a request and outlives it. One that refuses connections is given up, whatever it does.
    const serving = choose([...fixture.active], doing.pick)?.instance;
    const instance = fixture.runtime.running.find((each) => serving?.state === 'ready' && each === serving.handle);
    if (instance && !deaf.has(instance)) fixture.working.add(instance);
  } else if (doing.kind === 'rest') {
    const instance = choose([...fixture.working], doing.pick);
    if (instance) fixture.working.delete(instance);
  } else {
    const instance = choose(fixture.runtime.running, doing.pick);
    if (instance === undefined) return;
    if (doing.kind === 'crash') fixture.crash(instance);
    else fixture.setListening(instance, doing.kind === 'listen');
    if (doing.kind === 'listen') deaf.delete(instance);
    if (doing.kind === 'deafen') {
      deaf.add(instance);
      fixture.working.delete(instance);
      const ticket = [...fixture.active].find((each) => each.instance?.handle === instance);
      if (ticket) ticket.pool?.onConnectFailed(ticket.instance!);
    }
    await fixture.clock.elapse(0);
  }
}

function check(fixture: ServiceFixture): void {
  const { concurrency, maxInstances } = fixture.table.find('hello')!.current!.target;
  const inFlight = new Map<unknown, number>();
  for (const { instance } of fixture.active) inFlight.set(instance, (inFlight.get(instance) ?? 0) + 1);
  for (const [instance, count] of inFlight) {
    expect(instance, 'in-flight is counted as it is').toMatchObject({ inFlight: count });
    expect(count, 'I1').toBeLessThanOrEqual(concurrency);
  }
  const { current: pool } = fixture.table.find('hello')!;
  for (const [index, { isKept }] of pool!.fleet.ready.entries()) {
    expect(isKept, 'I11: the oldest are kept').toBe(index < pool!.target.minInstances);
  }
  if (maxInstances > 0) {
    const perRevision = new Map<string, number>();
    for (const { spec } of fixture.runtime.running) {
      perRevision.set(spec.revision, (perRevision.get(spec.revision) ?? 0) + 1);
    }
    for (const count of perRevision.values()) expect(count, 'I2').toBeLessThanOrEqual(maxInstances);
  }
  for (const ticket of fixture.tickets) {
    expect(ticket.outcomes, 'I3').toBeLessThanOrEqual(1);
    if (ticket.refusal) expect([429, 503, 504], 'I3').toContain(ticket.refusal.status);
  }
  expect(fixture.earlySignals, 'I5').toEqual([]);
  for (const instance of fixture.working) expect(instance.isSuspended, 'I12: none is frozen at work').toBe(false);
  const { current } = fixture.table.find('hello')!;
  if (current && current.queued > 0) {
    for (const instance of current.fleet.ready)
      expect(instance.inFlight, 'I8: none waits at a free slot').toBe(concurrency);
  }
}

test('I1–I5, I7–I9, I11 and I12 hold through any history of traffic, work, crashes and deploys', async () => {
  await fc.assert(
    fc.asyncProperty(settings, fc.array(step, { maxLength: 80, size: 'max' }), async (target, steps) => {
      const fixture = createTargetFixture(testTarget(target), { policy: POLICY, canSuspend: true, memoryBytes: 2_000 });
      const revisions = { next: 2 };
      const abandoned = new Set<FakeTicket>();
      for (const doing of steps) {
        const before = new Set(fixture.tickets.filter((ticket) => ticket.isQueued));
        await apply(fixture, doing, revisions);
        if (doing.kind === 'abandon') {
          for (const ticket of before) if (!ticket.isQueued && ticket.outcomes === 0) abandoned.add(ticket);
        }
        check(fixture);
      }
      const numbers = fixture.granted.map(({ number }) => number);
      expect(numbers, 'I4').toEqual([...numbers].sort((a, b) => a - b));

      // The traffic ends.
      fixture.plan = {};
      fixture.working.clear();
      for (const ticket of [...fixture.active]) fixture.finish(ticket);
      // One that waits may be all there is, between an instance that went and the next.
      const isBusy = () =>
        fixture.active.size > 0 ||
        fixture.runtime.running.length > 0 ||
        fixture.tickets.some((ticket) => ticket.isQueued);
      for (let i = 0; i < 400 && (isBusy() || i < 20); i++) {
        await fixture.clock.elapse(1_000);
        for (const ticket of [...fixture.active]) fixture.finish(ticket);
      }
      await fixture.clock.elapse(70_000);
      check(fixture);
      for (const ticket of fixture.tickets) {
        expect(ticket.outcomes, 'I3, I9: every request ended').toBe(abandoned.has(ticket) ? 0 : 1);
      }
      expect(fixture.runtime.running, 'I7, I11').toHaveLength(target.minInstances);
      await Promise.all([fixture.table.close({ drainMs: 0 }), fixture.clock.elapse(10_000)]);
      expect(fixture.runtime.running).toEqual([]);
      expect(fixture.clock.pending, 'nothing is left to do').toBe(0);
      const kinds = fixture.events.map(({ kind }) => kind);
      const count = (kind: string) => kinds.filter((each) => each === kind).length;
      expect(count('ended')).toBe(count('started'));
      expect(count('busy_ended')).toBe(count('busy'));
    }),
    { numRuns: 240 },
  );
});
