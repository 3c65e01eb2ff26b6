import type { InstanceId } from '@berth/kit';
import { expect, test } from 'vitest';
import type { FakeTicket } from '../testing/fake-ticket.ts';
import { createServiceFixture, createTargetFixture } from '../testing/service-fixture.ts';
import { testTarget } from '../testing/test-target.ts';

// Fails when the instance is drained before its successor is ready, or max_instances keeps that one from starting.
test('an instance whose machine is drained serves until its successor is ready', async () => {
  const fixture = createTargetFixture({ concurrency: 2, maxInstances: 1 });
  const first = fixture.request();
  await fixture.clock.elapse(1_000);
  const [leaving] = fixture.runtime.instances;
  fixture.plan = { listenAfterMs: 3_000 };
  leaving?.evict();
  await fixture.clock.elapse(1_000);
  const second = fixture.request();
  expect([first, second].map((ticket) => ticket?.instance?.handle)).toEqual([leaving, leaving]);
  await fixture.clock.elapse(4_000);
  const [, successor] = fixture.runtime.instances;
  const third = fixture.request();
  expect(third?.instance?.handle).toBe(successor);
  expect(leaving?.stops).toBe(0);
  for (const ticket of [first, second]) fixture.finish(ticket!);
  await fixture.clock.elapse(100);
  expect(leaving?.stops).toBe(1);
  expect(fixture.earlySignals).toEqual([]);
});

// Fails when the end of an evicted instance is a crash, after which starts are delayed.
test('an instance that its machine ended is not a crash', async () => {
  const fixture = createTargetFixture({ maxInstances: 1 });
  fixture.request();
  await fixture.clock.elapse(1_000);
  const [leaving] = fixture.runtime.instances;
  leaving?.evict();
  await fixture.clock.elapse(100);
  leaving?.exit({ signal: 'SIGTERM', exitCode: null });
  await fixture.clock.elapse(100);
  const ends = fixture.events.filter(({ kind }) => kind === 'stopped' || kind === 'crashed');
  expect(ends).toMatchObject([{ kind: 'stopped', reason: 'evicted' }]);
  expect(fixture.runtime.running).toHaveLength(1);
});

// Fails when requests that waited while the service had no gateway are taken for its load: on a busy cluster, their instances made others late.
test('requests that waited for the adoption of an instance start no others, unless they still wait later', async () => {
  const fixture = createServiceFixture();
  const target = testTarget({ concurrency: 1 });
  fixture.table.register(target);
  fixture.plan = { listenAfterMs: 100 };
  fixture.table.take(target, ['inst_survivor' as InstanceId]);
  const waiting = Array.from({ length: 5 }, () => fixture.request() as FakeTicket);
  await fixture.clock.elapse(1_000);
  expect(fixture.runtime.instances).toHaveLength(1);
  fixture.finish(waiting[0] as FakeTicket);
  await fixture.clock.elapse(500);
  expect(fixture.runtime.instances).toHaveLength(1);
  await fixture.clock.elapse(3_000);
  expect(fixture.runtime.instances).toHaveLength(4);
});

test('they start others at once when the instance could not be adopted', async () => {
  const fixture = createServiceFixture();
  const target = testTarget({ concurrency: 1 });
  fixture.plan = { exitAfterMs: 100 };
  fixture.table.take(target, ['inst_survivor' as InstanceId]);
  fixture.request();
  await fixture.clock.elapse(50);
  fixture.plan = {};
  await fixture.clock.elapse(1_500);
  expect(fixture.runtime.running).toHaveLength(1);
});
