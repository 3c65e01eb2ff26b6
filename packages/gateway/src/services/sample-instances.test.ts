import { expect, test } from 'vitest';
import type { InstanceEvent } from '../port/gateway.ts';
import { createTargetFixture, type ServiceFixture } from '../testing/service-fixture.ts';

type Measured = Extract<InstanceEvent, { kind: 'measured' }>;

const measured = (fixture: ServiceFixture): Measured[] =>
  fixture.events.filter((event): event is Measured => event.kind === 'measured');

/** Creates a fixture whose programs use a tenth of a CPU and 1,000 bytes. */
function createBusyFixture(options?: Parameters<typeof createTargetFixture>[1]): ServiceFixture {
  const fixture = createTargetFixture({ concurrency: 1 }, options);
  fixture.plan = { stats: () => ({ cpuMs: fixture.clock.monotonicMs() / 10, memoryBytes: 1_000 }) };
  return fixture;
}

test('measures what runs every ten seconds, and again before it is stopped', async () => {
  const fixture = createBusyFixture({ policy: { idleTimeoutMs: 25_000 } });
  const ticket = fixture.request();
  await fixture.clock.elapse(60_000);
  const first = measured(fixture);
  expect(first.length).toBeGreaterThanOrEqual(5);
  expect(first.every(({ memoryBytes }) => memoryBytes === 1_000)).toBe(true);
  const spans = (events: readonly Measured[]) => events.reduce((sum, { spanMs }) => sum + spanMs, 0);
  const used = (events: readonly Measured[]) => events.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
  expect(used(first)).toBeCloseTo(spans(first) / 10);

  if (ticket) fixture.finish(ticket);
  await fixture.clock.elapse(120_000);
  const all = measured(fixture);
  expect(fixture.runtime.running).toEqual([]);
  const stopped = fixture.events.find((event) => event.kind === 'stopped');
  expect(spans(all)).toBeCloseTo((stopped?.timeMs ?? 0) - (fixture.events[0]?.timeMs ?? 0));
  await fixture.clock.elapse(120_000);
  expect(measured(fixture)).toHaveLength(all.length);
});

test('instances are told with their last measurement, their requests and their start', async () => {
  const fixture = createBusyFixture({ canSuspend: true, policy: { suspendAfterMs: 1_000, idleTimeoutMs: 600_000 } });
  const ticket = fixture.request();
  await fixture.clock.elapse(1_000);
  const startedAtMs = fixture.clock.nowMs() - fixture.clock.monotonicMs();
  const [fresh] = await fixture.table.instances('hello');
  expect(fresh).toMatchObject({ revision: 'rev-1', state: 'ready', inFlight: 1, cpuMillis: null, memoryBytes: null });
  expect(Math.abs((fresh?.startedAtMs ?? 0) - startedAtMs)).toBeLessThan(1_000);
  await fixture.clock.elapse(25_000);
  // Fails when the CPU is the total since the start, or that of the whole machine.
  expect(await fixture.table.instances('hello')).toMatchObject([{ cpuMillis: 100, memoryBytes: 1_000 }]);
  if (ticket) fixture.finish(ticket);
  await fixture.clock.elapse(10_000);
  expect(await fixture.table.instances()).toMatchObject([{ state: 'suspended', inFlight: 0, cpuMillis: null }]);
  expect(await fixture.table.instances('other')).toEqual([]);
});

test('does not measure what is frozen, nor count that time', async () => {
  const fixture = createBusyFixture({ canSuspend: true, policy: { suspendAfterMs: 5_000, idleTimeoutMs: 600_000 } });
  const ticket = fixture.request();
  await fixture.clock.elapse(1_000);
  if (ticket) fixture.finish(ticket);
  await fixture.clock.elapse(20_000);
  const before = measured(fixture);
  expect(before.length).toBeGreaterThan(0);
  await fixture.clock.elapse(300_000);
  expect(measured(fixture)).toHaveLength(before.length);
  fixture.request();
  await fixture.clock.elapse(11_000);
  const after = measured(fixture).slice(before.length);
  expect(after.length).toBeGreaterThan(0);
  expect(Math.max(...after.map(({ spanMs }) => spanMs))).toBeLessThanOrEqual(12_000);
});

test('spreads many over a round, each of them once', async () => {
  const fixture = createBusyFixture({ policy: { suspendAfterMs: 0 } });
  for (let index = 0; index < 200; index++) fixture.request();
  await fixture.clock.elapse(9_000);
  const count = fixture.runtime.running.length;
  expect(count).toBeGreaterThan(100);
  const begun = measured(fixture).length;
  await fixture.clock.elapse(1_100);
  const soon = measured(fixture).length - begun;
  await fixture.clock.elapse(8_800);
  const round = measured(fixture).slice(begun);
  expect(soon).toBeLessThan(count / 2);
  expect(new Set(round.map(({ instance }) => instance)).size).toBe(count);
});

test('of a container that an earlier server started only what it uses now is told', async () => {
  const fixture = createBusyFixture();
  const beganMs = fixture.clock.monotonicMs();
  fixture.plan = { stats: () => ({ cpuMs: 3_600_000 + fixture.clock.monotonicMs() - beganMs, memoryBytes: 1 }) };
  fixture.request();
  await fixture.clock.elapse(31_000);
  expect(measured(fixture).map(({ cpuMs, spanMs }) => cpuMs === spanMs)).toEqual([false, true, true]);
  expect(measured(fixture)[0]?.cpuMs).toBe(0);
});

test('one that cannot be read is left out, and the others are not', async () => {
  const fixture = createBusyFixture();
  const { plan } = fixture;
  fixture.plan = {
    stats: () => {
      throw new Error('gone');
    },
  };
  fixture.request();
  await fixture.clock.elapse(1_000);
  fixture.plan = plan;
  fixture.request();
  await fixture.clock.elapse(30_000);
  expect(new Set(measured(fixture).map(({ instance }) => instance)).size).toBe(1);
});
