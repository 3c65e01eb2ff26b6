import { expect, test } from 'vitest';
import type { InstanceEvent } from '../port/gateway.ts';
import { createWorldWith, type World } from '../testing/world.ts';

type Measured = Extract<InstanceEvent, { kind: 'measured' }>;

const measured = (world: World): Measured[] =>
  world.events.filter((event): event is Measured => event.kind === 'measured');

/** A world whose programs use a tenth of a CPU and 1,000 bytes. */
function createBusyWorld(options?: Parameters<typeof createWorldWith>[1]): World {
  const world = createWorldWith({ concurrency: 1 }, options);
  world.plan = { stats: () => ({ cpuMs: world.clock.monotonicMs() / 10, memoryBytes: 1_000 }) };
  return world;
}

test('measures what runs every ten seconds, and once more before it is stopped', async () => {
  const world = createBusyWorld({ policy: { idleTimeoutMs: 25_000 } });
  const ticket = world.request();
  await world.clock.elapse(60_000);
  const first = measured(world);
  expect(first.length).toBeGreaterThanOrEqual(5);
  expect(first.every(({ memoryBytes }) => memoryBytes === 1_000)).toBe(true);
  const spans = (events: readonly Measured[]) => events.reduce((sum, { spanMs }) => sum + spanMs, 0);
  const used = (events: readonly Measured[]) => events.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
  expect(used(first)).toBeCloseTo(spans(first) / 10);

  if (ticket) world.finish(ticket);
  await world.clock.elapse(120_000);
  const all = measured(world);
  expect(world.runtime.running).toEqual([]);
  const stopped = world.events.find((event) => event.kind === 'stopped');
  expect(spans(all)).toBeCloseTo((stopped?.timeMs ?? 0) - (world.events[0]?.timeMs ?? 0));
  await world.clock.elapse(120_000);
  expect(measured(world)).toHaveLength(all.length);
});

test('does not measure what is frozen, nor count that time', async () => {
  const world = createBusyWorld({ canSuspend: true, policy: { suspendAfterMs: 5_000, idleTimeoutMs: 600_000 } });
  const ticket = world.request();
  await world.clock.elapse(1_000);
  if (ticket) world.finish(ticket);
  await world.clock.elapse(20_000);
  const before = measured(world);
  expect(before.length).toBeGreaterThan(0);
  await world.clock.elapse(300_000);
  expect(measured(world)).toHaveLength(before.length);
  world.request();
  await world.clock.elapse(11_000);
  const after = measured(world).slice(before.length);
  expect(after.length).toBeGreaterThan(0);
  expect(Math.max(...after.map(({ spanMs }) => spanMs))).toBeLessThanOrEqual(12_000);
});

test('spreads many over a round, each of them once', async () => {
  const world = createBusyWorld({ policy: { suspendAfterMs: 0 } });
  for (let index = 0; index < 200; index++) world.request();
  await world.clock.elapse(9_000);
  const count = world.runtime.running.length;
  expect(count).toBeGreaterThan(100);
  const begun = measured(world).length;
  await world.clock.elapse(1_100);
  const soon = measured(world).length - begun;
  await world.clock.elapse(8_800);
  const round = measured(world).slice(begun);
  expect(soon).toBeLessThan(count / 2);
  expect(new Set(round.map(({ instance }) => instance)).size).toBe(count);
});

test('of a container that an earlier server started only what it uses now is told', async () => {
  const world = createBusyWorld();
  const beganMs = world.clock.monotonicMs();
  world.plan = { stats: () => ({ cpuMs: 3_600_000 + world.clock.monotonicMs() - beganMs, memoryBytes: 1 }) };
  world.request();
  await world.clock.elapse(31_000);
  expect(measured(world).map(({ cpuMs, spanMs }) => cpuMs === spanMs)).toEqual([false, true, true]);
  expect(measured(world)[0]?.cpuMs).toBe(0);
});

test('one that can not be read is left out, and the others are not', async () => {
  const world = createBusyWorld();
  const { plan } = world;
  world.plan = {
    stats: () => {
      throw new Error('gone');
    },
  };
  world.request();
  await world.clock.elapse(1_000);
  world.plan = plan;
  world.request();
  await world.clock.elapse(30_000);
  expect(new Set(measured(world).map(({ instance }) => instance)).size).toBe(1);
});
