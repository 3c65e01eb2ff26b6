import { expect, test } from 'vitest';
import { createServiceFixture, createTargetFixture } from '../testing/service-fixture.ts';
import { testTarget } from '../testing/test-target.ts';

const { signal } = new AbortController();
const target = testTarget({ revision: 'rev-1', env: { DATABASE: 'x' } });

// Fails when a one-off instance takes a route, isn't billed while it runs, or outlives its release.
test('an instance for commands has what the revision has, serves nothing, and ends when it is released', async () => {
  const fixture = createTargetFixture({});
  const starting = fixture.table.startOneOff(target, { signal });
  await fixture.clock.elapse(1);
  const one = await starting;
  const [instance] = fixture.runtime.instances;
  expect(one).toMatchObject({ instance: instance?.instanceId, revision: 'rev-1' });
  expect(instance?.spec).toMatchObject({ env: { DATABASE: 'x' }, command: ['sh', '-c', expect.any(String)] });
  expect(fixture.table.snapshot('hello')).toMatchObject({ instances: 0 });
  await fixture.clock.elapse(5_000);
  expect(fixture.events.filter(({ kind }) => kind === 'billed').length).toBeGreaterThan(1);
  one.release();
  one.release();
  await fixture.clock.elapse(20_000);
  expect(instance?.stops).toBeGreaterThan(0);
  const life = fixture.events.filter(({ kind }) => kind !== 'billed');
  expect(life).toMatchObject([
    { kind: 'started', reason: 'run' },
    { kind: 'stopped', reason: 'completed' },
    { kind: 'ended' },
  ]);
  const billedMs = fixture.events.reduce((sum, event) => sum + (event.kind === 'billed' ? event.billableMs : 0), 0);
  expect(billedMs).toBeLessThan(20_000);
});

test.each([
  [
    'its deployment is deleted',
    'deleted',
    (fixture: ReturnType<typeof createTargetFixture>) => fixture.table.remove('hello'),
  ],
  ['the gateway closes', 'shutdown', (fixture: ReturnType<typeof createTargetFixture>) => fixture.table.close()],
] as const)('it ends when %s', async (_name, reason, end) => {
  const fixture = createTargetFixture({});
  const starting = fixture.table.startOneOff(target, { signal });
  await fixture.clock.elapse(1);
  await starting;
  const ended = end(fixture);
  await fixture.clock.elapse(20_000);
  await ended;
  expect(fixture.runtime.instances.map(({ stops }) => stops > 0)).toEqual([true]);
  expect(fixture.events.find(({ kind }) => kind === 'stopped')).toMatchObject({ reason });
});

// Fails when a client that leaves during the start leaves an instance or its memory behind.
test('a client that leaves during the start leaves nothing', async () => {
  const fixture = createServiceFixture({ memoryBytes: target.memoryBytes });
  const left = new AbortController();
  const starting = expect(fixture.table.startOneOff(target, { signal: left.signal })).rejects.toThrow('left');
  left.abort(new Error('left'));
  await fixture.clock.elapse(20_000);
  await starting;
  const again = fixture.table.startOneOff(target, { signal });
  await fixture.clock.elapse(1);
  (await again).release();
  await fixture.clock.elapse(20_000);
  expect(fixture.runtime.instances.every(({ stops }) => stops > 0)).toBe(true);
});

test('a start that fails is the caller’s error', async () => {
  const fixture = createServiceFixture({ memoryBytes: target.memoryBytes - 1 });
  const starting = expect(fixture.table.startOneOff(target, { signal })).rejects.toMatchObject({
    code: 'out_of_capacity',
  });
  await fixture.clock.elapse(60_000);
  await starting;
});
