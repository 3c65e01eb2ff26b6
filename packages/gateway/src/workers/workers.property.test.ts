import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  createWorkerFixture,
  type TestWorker,
  type WorkerFixture,
  type WorkerTicket,
} from '../testing/worker-fixture.ts';

const POLICY = { idleTimeoutMs: 30_000, suspendAfterMs: 12_000, shrinkDelayMs: 10_000 };

type Step =
  | { readonly kind: 'requests'; readonly count: number; readonly pick: number }
  | { readonly kind: 'finish' | 'abandon' | 'crash' | 'deafen' | 'listen' | 'kill' | 'hang'; readonly pick: number }
  | { readonly kind: 'elapse'; readonly ms: number }
  | { readonly kind: 'plan'; readonly listenAfterMs: number; readonly stopTakesMs: number }
  | { readonly kind: 'activate' | 'remove' | 'start' };

const pick = fc.nat({ max: 1_000 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('requests' as const), count: fc.integer({ min: 1, max: 12 }), pick }),
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('finish' as const), pick }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('elapse' as const), ms: fc.constantFrom(1, 5, 60, 700, 2_500, 15_000) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('abandon' as const, 'crash' as const, 'deafen' as const, 'listen' as const),
      pick,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('kill' as const, 'hang' as const), pick }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('plan' as const),
      listenAfterMs: fc.constantFrom(0, 120, 4_000),
      stopTakesMs: fc.constantFrom(0, 3_000),
    }),
  },
  { weight: 2, arbitrary: fc.constantFrom({ kind: 'activate' as const }, { kind: 'start' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'remove' as const }) },
);

const settings = fc.record({
  concurrency: fc.constantFrom(1, 2, 5, 10),
  maxInstances: fc.constantFrom(0, 1, 3),
  timeoutMs: fc.constantFrom(3_000, 60_000),
});
const delays = fc.array(fc.constantFrom(0, 0, 1, 4, 30, 90), { minLength: 1, maxLength: 30 });

function choose<Value>(from: readonly Value[], index: number): Value | undefined {
  return from[index % Math.max(1, from.length)];
}

function activeOf(fixture: WorkerFixture): [TestWorker, WorkerTicket][] {
  return fixture
    .living()
    .flatMap((worker) => [...worker.active].map((ticket) => [worker, ticket] as [typeof worker, typeof ticket]));
}

async function apply(fixture: WorkerFixture, doing: Step, revisions: { next: number }, target: object): Promise<void> {
  const { table, clock, runtime } = fixture;
  switch (doing.kind) {
    case 'requests': {
      const worker = choose(fixture.living(), doing.pick);
      for (let i = 0; i < doing.count; i++) worker?.request();
      return;
    }
    case 'elapse':
      return clock.elapse(doing.ms);
    case 'plan':
      fixture.plan = doing;
      return;
    case 'activate': {
      const revision = `rev-${revisions.next++}`;
      const before = table.find('hello')?.current?.target ?? target;
      table
        .activate({ ...(before as never as object), revision } as never, { signal: new AbortController().signal })
        .catch(() => {});
      return clock.elapse(0);
    }
    case 'remove':
      void table.remove('hello');
      return clock.elapse(0);
    case 'start':
      if (fixture.living().length < 4) fixture.startWorker();
      return;
    case 'kill':
      return choose(fixture.living(), doing.pick)?.kill();
    case 'hang':
      return choose(fixture.living(), doing.pick)?.hang();
    case 'finish': {
      const [worker, ticket] = choose(activeOf(fixture), doing.pick) ?? [];
      if (ticket) worker?.finish(ticket);
      return;
    }
    case 'abandon': {
      const waiting = fixture
        .living()
        .flatMap((worker) => worker.tickets.filter(({ isQueued }) => isQueued).map((ticket) => ({ worker, ticket })));
      const chosen = choose(waiting, doing.pick);
      chosen?.worker.abandon(chosen.ticket);
      return;
    }
    default: {
      const instance = choose(runtime.running, doing.pick);
      if (instance === undefined) return;
      if (doing.kind === 'crash') fixture.crash(instance);
      else fixture.setListening(instance, doing.kind === 'listen');
      const [, ticket] = activeOf(fixture).find(([, each]) => each.instance?.id === instance.instanceId) ?? [];
      if (doing.kind === 'deafen' && ticket?.instance) ticket.pool?.onConnectFailed(ticket.instance);
      return clock.elapse(0);
    }
  }
}

function check(
  fixture: WorkerFixture,
  { concurrency, maxInstances }: { concurrency: number; maxInstances: number },
): void {
  const inUse = new Map<string, number>();
  for (const [, { instance }] of activeOf(fixture)) inUse.set(instance!.id, (inUse.get(instance!.id) ?? 0) + 1);
  for (const [id, count] of inUse) {
    expect(count, 'I1').toBeLessThanOrEqual(concurrency);
    const counted = fixture.findInstance(id)?.inFlight;
    if (counted !== undefined) expect(counted, 'W1: what is used is counted').toBeGreaterThanOrEqual(count);
  }
  for (const service of fixture.table.services()) {
    for (const { fleet } of service.pools) {
      for (const { inFlight } of fleet.all) {
        expect(inFlight, 'no slot is granted twice').toBeLessThanOrEqual(concurrency);
        expect(inFlight, 'no slot is given back twice').toBeGreaterThanOrEqual(0);
      }
    }
  }
  if (maxInstances > 0) {
    const perRevision = new Map<string, number>();
    for (const { spec } of fixture.runtime.running) {
      perRevision.set(spec.revision, (perRevision.get(spec.revision) ?? 0) + 1);
    }
    for (const count of perRevision.values()) expect(count, 'I2').toBeLessThanOrEqual(maxInstances);
  }
  for (const worker of fixture.workers) {
    for (const ticket of worker.tickets) {
      expect(ticket.outcomes, 'I3').toBeLessThanOrEqual(1);
      if (ticket.refusal) expect([404, 429, 503, 504], 'I3').toContain(ticket.refusal.status);
    }
    const numbers = worker.grantedByCore.map(({ number }) => number);
    expect(numbers, 'I4: of those that had to wait').toEqual([...numbers].sort((a, b) => a - b));
  }
  expect(fixture.earlySignals, 'I5').toEqual([]);
  expect(fixture.lateGrants, 'a route change is known everywhere before the drain').toEqual([]);
}

test('I1–I5, I7, I9, W1–W3 hold over workers that lag, hang and die, through any history of traffic, crashes and deploys', async () => {
  await fc.assert(
    fc.asyncProperty(settings, delays, fc.array(step, { maxLength: 80, size: 'max' }), async (target, lags, steps) => {
      let lag = 0;
      const fixture = createWorkerFixture({
        target,
        policy: POLICY,
        canSuspend: true,
        memoryBytes: 2_000,
        delayMs: () => lags[lag++ % lags.length] ?? 0,
      });
      const first = fixture.table.find('hello')!.current!.target;
      const revisions = { next: 2 };
      const abandoned = new Set<WorkerTicket>();
      fixture.startWorker();
      fixture.startWorker();
      for (const doing of steps) {
        const waited = fixture.workers.flatMap(({ tickets }) => tickets.filter(({ isQueued }) => isQueued));
        await apply(fixture, doing, revisions, first);
        if (doing.kind === 'abandon') {
          for (const ticket of waited) if (!ticket.isQueued && ticket.outcomes === 0) abandoned.add(ticket);
        }
        check(fixture, target);
      }

      // The traffic ends; everything must settle.
      fixture.plan = {};
      for (let i = 0; i < 400 && (i < 20 || fixture.runtime.running.length > 0); i++) {
        for (const [worker, ticket] of activeOf(fixture)) worker.finish(ticket);
        await fixture.clock.elapse(1_000);
      }
      await fixture.clock.elapse(70_000);
      check(fixture, target);
      for (const worker of fixture.living()) {
        expect(worker.client.busy, 'every request ended').toBe(0);
        for (const ticket of worker.tickets) {
          expect(ticket.outcomes, 'I3, I9').toBe(abandoned.has(ticket) ? 0 : 1);
        }
      }
      for (const load of fixture.table.loads())
        expect(load, 'W2: no slot is lost').toMatchObject({ inFlight: 0, queued: 0 });
      expect(fixture.runtime.running, 'I7').toEqual([]);
      for (const worker of fixture.living()) worker.kill();
      await fixture.clock.elapse(1_000);
      expect(fixture.clock.pending, 'nothing is left to do').toBe(0);
    }),
    { numRuns: 150 },
  );
}, 120_000);
