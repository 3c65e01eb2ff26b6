import { expect, test } from 'vitest';
import { createServiceFixture, createTargetFixture, type ServiceFixture } from '../testing/service-fixture.ts';
import { testTarget } from '../testing/test-target.ts';

const signal = new AbortController().signal;
const POLICY = { idleTimeoutMs: 30_000, suspendAfterMs: 10_000 };

const reasons = ({ events }: ServiceFixture) =>
  events.flatMap((event) => (event.kind === 'started' ? [event.reason] : []));
const fleet = (fixture: ServiceFixture) => fixture.table.find('hello')!.current!.fleet;
const billedMs = ({ events }: ServiceFixture) =>
  events.reduce((sum, event) => sum + (event.kind === 'billed' ? event.billableMs : 0), 0);

// Fails when register() doesn't tell the pool that it has the route: a restart then leaves it cold.
test('at boot they start without a request, and the first request waits for none', async () => {
  const fixture = createTargetFixture({ minInstances: 2 });
  await fixture.clock.elapse(100);
  expect(reasons(fixture)).toEqual(['min_instances', 'min_instances']);
  expect(fixture.request()?.instance).not.toBeNull();
  expect(fixture.runtime.instances).toHaveLength(2);
});

// Fails when Fleet.idle has the kept ones too: they are then suspended and resumed at every tick.
test('they are neither stopped nor suspended, however long they are idle; those beyond them are', async () => {
  const fixture = createTargetFixture({ minInstances: 1, concurrency: 1 }, { canSuspend: true, policy: POLICY });
  for (let i = 0; i < 3; i++) fixture.request();
  await fixture.clock.elapse(1_000);
  expect(fleet(fixture).ready).toHaveLength(3);
  for (const ticket of [...fixture.active]) fixture.finish(ticket);
  await fixture.clock.elapse(15_000);
  expect(fixture.runtime.instances.map(({ isSuspended }) => isSuspended).sort()).toEqual([false, true, true]);
  await fixture.clock.elapse(3_600_000);
  expect(fixture.events.filter(({ kind }) => kind === 'resumed')).toEqual([]);
  expect(fixture.runtime.running).toHaveLength(1);
  expect(fleet(fixture).ready).toHaveLength(1);
  expect(fixture.events.filter(({ kind }) => kind === 'stopped')).toHaveLength(2);
});

// Fails when decideStarts takes no notice of minInstances.
test('one that crashed is started again without a request', async () => {
  const fixture = createTargetFixture({ minInstances: 2 });
  await fixture.clock.elapse(20_000);
  fixture.crash(fixture.runtime.instances[0]!);
  await fixture.clock.elapse(3_000);
  expect(fixture.runtime.running).toHaveLength(2);
  expect(reasons(fixture)).toEqual(['min_instances', 'min_instances', 'restart_after_crash']);
});

test('one that does not start is tried again with backoff, and without end', async () => {
  const fixture = createServiceFixture();
  fixture.plan = { exitAfterMs: 10 };
  fixture.table.register(testTarget({ minInstances: 1 }));
  await fixture.clock.elapse(3_600_000);
  const tries = fixture.runtime.instances.length;
  expect(tries).toBeGreaterThan(50);
  expect(tries).toBeLessThan(80);
  fixture.plan = {};
  await fixture.clock.elapse(61_000);
  expect(fleet(fixture).ready).toHaveLength(1);
});

// Fails when Fleet leaves their billable time to the requests.
test('they are billed all the time; those beyond them while they start and serve', async () => {
  const fixture = createTargetFixture(
    { minInstances: 1, concurrency: 1 },
    { policy: { ...POLICY, suspendAfterMs: 0 } },
  );
  await fixture.clock.elapse(10_000);
  expect(billedMs(fixture)).toBe(10_000);
  const tickets = [fixture.request()!, fixture.request()!];
  await fixture.clock.elapse(2_000);
  for (const ticket of tickets) fixture.finish(ticket);
  await fixture.clock.elapse(988_000);
  // The second one started and served for 2 s, the first was there for 1,000.
  expect(billedMs(fixture)).toBe(1_002_000);
});

// Fails when activateRevision starts only as many as were ready before.
test('in a rollout the new revision has all of its own ready before the old one lets go of any', async () => {
  const fixture = createTargetFixture({ minInstances: 1 });
  await fixture.clock.elapse(100);
  fixture.plan = { listenAfterMs: 1_000 };
  const done = fixture.table.activate(testTarget({ revision: 'rev-2', minInstances: 3 }), { signal });
  await fixture.clock.elapse(900);
  expect(fixture.runtime.running.map(({ spec }) => spec.revision)).toEqual(['rev-1', 'rev-2', 'rev-2', 'rev-2']);
  await fixture.clock.elapse(200);
  await done;
  expect(fleet(fixture).ready).toHaveLength(3);
  await fixture.clock.elapse(60_000);
  expect(fixture.runtime.running.map(({ spec }) => spec.revision)).toEqual(['rev-2', 'rev-2', 'rev-2']);
});

// Fails when a pool brings up its instances before it has the route: the deploy, which may fail, starts them.
test('a revision that does not start leaves nothing behind, and the old one keeps its own', async () => {
  const fixture = createTargetFixture({ minInstances: 1 });
  await fixture.clock.elapse(100);
  fixture.plan = { exitAfterMs: 500 };
  const outcome = fixture.table
    .activate(testTarget({ revision: 'rev-2', minInstances: 2 }), { signal })
    .catch(({ code }) => code);
  await fixture.clock.elapse(5_000);
  expect(await outcome).toBe('start_failed');
  await fixture.clock.elapse(600_000);
  expect(reasons(fixture)).toEqual(['min_instances', 'deploy', 'deploy']);
  expect(fixture.runtime.running.map(({ spec }) => spec.revision)).toEqual(['rev-1']);
});

test('set back to 0, the last instance goes after the idle timeout', async () => {
  const fixture = createTargetFixture({ minInstances: 1 }, { policy: POLICY });
  await fixture.clock.elapse(100);
  const done = fixture.table.activate(testTarget({ revision: 'rev-2', minInstances: 0 }), { signal });
  await fixture.clock.elapse(100);
  await done;
  expect(fixture.runtime.running).not.toEqual([]);
  await fixture.clock.elapse(60_000);
  expect(fixture.runtime.running).toEqual([]);
  expect(fixture.clock.pending).toBe(0);
});

// Fails when Fleet.idle has the kept ones too.
test('they are not stopped for another service', async () => {
  const fixture = createTargetFixture({ minInstances: 1 }, { memoryBytes: 100 });
  await fixture.clock.elapse(100);
  fixture.table.register(testTarget({ deployment: 'other' }));
  const other = fixture.request('other');
  await fixture.clock.elapse(11_000);
  expect(other?.refusal).toMatchObject({ reason: 'out_of_capacity' });
  expect(fleet(fixture).ready).toHaveLength(1);
});

// Fails when each tick tries again while there is no room: each try is an entry of the service's log.
test('without room for them one start a minute is tried, and room that comes free is taken at once', async () => {
  const fixture = createServiceFixture({ memoryBytes: 100 });
  fixture.table.register(testTarget({ deployment: 'other', timeoutMs: 3_600_000 }));
  const holder = fixture.request('other')!;
  await fixture.clock.elapse(100);
  fixture.table.register(testTarget({ minInstances: 1 }));
  await fixture.clock.elapse(600_000);
  const failed = fixture.events.filter(({ kind }) => kind === 'start_failed');
  expect(failed.length).toBeGreaterThan(8);
  expect(failed.length).toBeLessThan(12);
  fixture.finish(holder);
  await Promise.all([fixture.table.remove('other'), fixture.clock.elapse(2_100)]);
  expect(fleet(fixture).ready).toHaveLength(1);
});

test('a deploy starts as many as fit, says so, and the others follow when there is room', async () => {
  const fixture = createServiceFixture({ memoryBytes: 300 });
  const progress: string[] = [];
  const target = testTarget({ minInstances: 3, memoryBytes: 120 });
  const done = fixture.table.activate(target, { signal, onProgress: (message) => progress.push(message) });
  await fixture.clock.elapse(100);
  await done;
  expect(progress.join('\n')).toContain('3 instances are wanted');
  await fixture.clock.elapse(10_000);
  expect(fleet(fixture).ready).toHaveLength(2);
});
