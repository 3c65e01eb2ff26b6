import { expect, test } from 'vitest';
import { createTargetFixture, type ServiceFixture } from '../testing/service-fixture.ts';
import { testTarget } from '../testing/test-target.ts';

const activate = (fixture: ServiceFixture, changes: Parameters<typeof testTarget>[0]) =>
  fixture.table.activate(testTarget(changes), { signal: new AbortController().signal }).then(() => 'done');

// Fails when the gateway takes the revision for the one that serves, or ends a request with its instance.
test('the same revision in another generation replaces its own instances without dropping a request', async () => {
  const fixture = createTargetFixture({ concurrency: 1 });
  const [long, short] = [fixture.request(), fixture.request()];
  await fixture.clock.elapse(200);
  const before = fixture.runtime.running.map(({ instanceId }) => instanceId);
  const done = activate(fixture, { revision: 'rev-1', generation: 1, concurrency: 1 });
  await fixture.clock.elapse(200);
  expect(await done).toBe('done');
  expect(fixture.table.snapshot('hello')).toMatchObject({ revision: 'rev-1', generation: 1, instances: 2 });
  const next = fixture.request();
  expect(before).not.toContain(next?.instance?.id);
  if (short) fixture.finish(short);
  await fixture.clock.elapse(1_000);
  expect(long?.refusal).toBeNull();
  if (long) fixture.finish(long);
  await fixture.clock.elapse(1_000);
  expect(fixture.runtime.running.map(({ instanceId }) => before.includes(instanceId))).toEqual([false, false]);
  expect(fixture.earlySignals).toEqual([]);
});

// Fails when a request wakes a stopped service, a queued one waits for ever, or min_instances keeps instances.
test('a stopped revision starts nothing, refuses requests, and lets running ones finish', async () => {
  const fixture = createTargetFixture({ concurrency: 1, maxInstances: 1, minInstances: 1 });
  const running = fixture.request();
  await fixture.clock.elapse(200);
  const waiting = fixture.request();
  const stopped = {
    revision: 'rev-1',
    generation: 1,
    isStopped: true,
    concurrency: 1,
    maxInstances: 1,
    minInstances: 1,
  };
  expect(await activate(fixture, stopped)).toBe('done');
  expect(waiting?.refusal).toMatchObject({ status: 503, reason: 'stopped' });
  expect(fixture.request()?.refusal).toMatchObject({ status: 503, reason: 'stopped', retryAfterSeconds: 60 });
  await fixture.clock.elapse(5_000);
  expect(running?.refusal).toBeNull();
  if (running) fixture.finish(running);
  await fixture.clock.elapse(60_000);
  expect(fixture.runtime.running).toEqual([]);
  expect(fixture.runtime.instances).toHaveLength(1);
  expect(fixture.earlySignals).toEqual([]);
  expect(fixture.events.find(({ kind }) => kind === 'stopped')).toMatchObject({ reason: 'stopped' });
  const resumed = activate(fixture, { ...stopped, generation: 2, isStopped: false });
  await fixture.clock.elapse(200);
  expect(await resumed).toBe('done');
  expect(fixture.request()?.instance).not.toBeNull();
});
