import { createError } from '@berth/contract';
import { BerthError } from '@berth/kit';
import { expect, test } from 'vitest';
import { createServiceFixture, createTargetFixture, type ServiceFixture } from '../testing/service-fixture.ts';
import { testTarget } from '../testing/test-target.ts';

const signal = new AbortController().signal;

/** Resolves with the error code of a failed call, or with `done`. */
function activate(
  fixture: ServiceFixture,
  changes: Parameters<typeof testTarget>[0] = {},
  options: Parameters<ServiceFixture['table']['activate']>[1] = { signal },
) {
  return fixture.table.activate(testTarget({ revision: 'rev-2', ...changes }), options).then(
    () => 'done',
    (error: unknown) => (BerthError.is(error) ? error.code : error),
  );
}

const revision = (fixture: ServiceFixture) => fixture.table.find('hello')?.current?.target.revision;

test('the first revision has the route when its port answers, not before', async () => {
  const fixture = createServiceFixture();
  fixture.plan = { listenAfterMs: 1_000 };
  const done = activate(fixture);
  await fixture.clock.elapse(900);
  expect(fixture.request()).toBeUndefined();
  await fixture.clock.elapse(200);
  expect(await done).toBe('done');
  expect(fixture.request()?.instance).not.toBeNull();
  expect(fixture.events[0]).toMatchObject({ kind: 'started', reason: 'deploy' });
});

test('as many instances as the old revision has ready are brought up before the switch', async () => {
  const fixture = createTargetFixture({ concurrency: 1 });
  for (let i = 0; i < 3; i++) fixture.request();
  await fixture.clock.elapse(200);
  expect(fixture.runtime.instances).toHaveLength(3);
  const progress: string[] = [];
  const done = fixture.table.activate(testTarget({ revision: 'rev-2' }), {
    signal,
    onProgress: (m) => progress.push(m),
  });
  await fixture.clock.elapse(200);
  await done;
  expect(fixture.runtime.instances).toHaveLength(6);
  expect(progress[0]).toContain('3 instances');
  expect(revision(fixture)).toBe('rev-2');
});

// Fails when a server that another one's deploy doesn't concern starts instances, or the route waits for one.
test('a revision that serves elsewhere gets the route at once where the old one has no instance', async () => {
  const fixture = createTargetFixture({});
  await fixture.table.activate(testTarget({ revision: 'rev-2' }), { signal, isLazy: true });
  expect(revision(fixture)).toBe('rev-2');
  expect(fixture.runtime.instances).toEqual([]);
  fixture.request();
  await fixture.clock.elapse(200);
  expect(fixture.runtime.instances).toHaveLength(1);
});

// Fails when instances in use are dropped, or requests go to a revision that is not ready.
test('a revision that serves elsewhere is started beside the instances of the old one', async () => {
  const fixture = createTargetFixture({});
  const old = fixture.request()!;
  await fixture.clock.elapse(200);
  fixture.plan = { listenAfterMs: 1_000 };
  const done = fixture.table.activate(testTarget({ revision: 'rev-2' }), { signal, isLazy: true });
  await fixture.clock.elapse(900);
  expect([revision(fixture) === 'rev-2', fixture.runtime.instances.length]).toEqual([false, 2]);
  await fixture.clock.elapse(200);
  await done;
  expect(revision(fixture)).toBe('rev-2');
  fixture.finish(old);
  await fixture.clock.elapse(1);
  expect(fixture.earlySignals).toEqual([]);
});

test('the old revision finishes what it serves and is stopped then', async () => {
  const fixture = createTargetFixture({});
  const old = fixture.request()!;
  await fixture.clock.elapse(100);
  const done = activate(fixture);
  await fixture.clock.elapse(200);
  await done;
  expect(fixture.request()?.instance?.handle).toBe(fixture.runtime.instances[1]);
  await fixture.clock.elapse(30_000);
  expect(fixture.runtime.instances[0]?.stops).toBe(0);
  fixture.finish(old);
  await fixture.clock.elapse(1);
  expect(fixture.runtime.instances[0]?.hasExited).toBe(true);
  expect(fixture.earlySignals).toEqual([]);
  expect(fixture.events.find(({ kind }) => kind === 'stopped')).toMatchObject({
    reason: 'replaced',
    revision: 'rev-1',
  });
});

test('what the old revision still serves at its drain deadline is broken off', async () => {
  const fixture = createTargetFixture({ timeoutMs: 20_000 });
  fixture.request();
  await fixture.clock.elapse(100);
  const done = activate(fixture);
  await fixture.clock.elapse(100);
  await done;
  await fixture.clock.elapse(19_000);
  expect(fixture.runtime.instances[0]?.stops).toBe(0);
  await fixture.clock.elapse(1_000);
  expect(fixture.runtime.instances[0]?.hasExited).toBe(true);
  expect(fixture.active.size).toBe(0);
});

test('I9: requests that wait for the old revision are served by the new one, in order', async () => {
  const fixture = createTargetFixture({});
  fixture.plan = { listenAfterMs: 600_000 };
  const waiting = [fixture.request(), fixture.request()];
  await fixture.clock.elapse(100);
  fixture.plan = {};
  const done = activate(fixture);
  await fixture.clock.elapse(100);
  await done;
  expect(waiting.map((ticket) => ticket?.instance?.handle)).toEqual(Array(2).fill(fixture.runtime.instances[1]));
  await fixture.clock.elapse(1_000);
  expect(fixture.runtime.instances[0]?.hasExited).toBe(true);
});

test('a failed start leaves the old revision untouched and nothing of the new one', async () => {
  const fixture = createTargetFixture({});
  const old = fixture.request()!;
  await fixture.clock.elapse(100);
  fixture.plan = { exitAfterMs: 50 };
  const done = activate(fixture);
  await fixture.clock.elapse(200);
  expect(await done).toBe('start_failed');
  expect(revision(fixture)).toBe('rev-1');
  expect(old.instance?.state).toBe('ready');
  expect(fixture.runtime.running).toHaveLength(1);
});

test('a port that never answers is start_timeout after 240 s', async () => {
  const fixture = createServiceFixture();
  fixture.plan = { listenAfterMs: 1e9 };
  const done = activate(fixture);
  await fixture.clock.elapse(239_000);
  expect(fixture.runtime.running).toHaveLength(1);
  await fixture.clock.elapse(2_000);
  expect(await done).toBe('start_timeout');
  expect(fixture.runtime.running).toHaveLength(0);
  expect(fixture.table.find('hello')).toBeUndefined();
});

test('a service that listens elsewhere is told so at once, and given up when it has been idle for 5 s', async () => {
  // Fails when the first check or the deadline is later: a start waited a minute for a program that does not read PORT.
  const fixture = createServiceFixture();
  fixture.plan = { listenAfterMs: 1e9, listensOn: [3000] };
  const progress: string[] = [];
  const done = fixture.table.activate(testTarget(), { signal, onProgress: (message) => progress.push(message) });
  const failed = expect(done).rejects.toMatchObject({
    code: 'port_not_open',
    message: 'The service listens on 3000, not on $PORT (1): read the port from the PORT environment variable.',
  });
  await fixture.clock.elapse(300);
  expect(progress).toEqual([
    'Starting an instance and waiting for its port',
    'The service listens on 3000, not on $PORT (1): read the port from the PORT environment variable',
  ]);
  await fixture.clock.elapse(5_700);
  await failed;
  expect(progress).toHaveLength(2);
});

test('one that still works while it listens elsewhere is given a minute to open its own port', async () => {
  // Fails when CPU time is ignored: a program that opens a metrics port first and then loads a model would never start.
  const fixture = createServiceFixture();
  const busy = () => ({ cpuMs: fixture.clock.monotonicMs() / 2, memoryBytes: 0 });
  fixture.plan = { listenAfterMs: 40_000, listensOn: [9100], stats: busy };
  const slow = activate(fixture);
  await fixture.clock.elapse(45_000);
  expect(await slow).toBe('done');
  fixture.plan = { listenAfterMs: 1e9, listensOn: [9100], stats: busy };
  const never = activate(fixture, { revision: 'rev-3' });
  await fixture.clock.elapse(63_000);
  expect(await never).toBe('port_not_open');
});

const health = { path: '/healthz', intervalMs: 10_000, timeoutMs: 2_000 };

test('a revision has the route when its health check passes, not when its port opens', async () => {
  // Fails when `readiness.check` is not asked: rev-2 would take the requests that it answers 503.
  const fixture = createTargetFixture({});
  fixture.request();
  await fixture.clock.elapse(100);
  const asked: unknown[] = [];
  let status = 503;
  fixture.plan = {
    answer: (question) => {
      asked.push(question);
      return { status };
    },
  };
  const progress: string[] = [];
  const done = fixture.table.activate(testTarget({ revision: 'rev-2', health }), {
    signal,
    onProgress: (message) => progress.push(message),
  });
  await fixture.clock.elapse(30_000);
  expect(revision(fixture)).toBe('rev-1');
  status = 302;
  await fixture.clock.elapse(2_000);
  await done;
  expect(revision(fixture)).toBe('rev-2');
  expect(asked[0]).toEqual({ method: 'GET', path: '/healthz', host: 'hello.test', timeoutMs: 2_000 });
  expect(progress.slice(1)).toEqual(['The health check GET /healthz failed: the service answered 503. Retrying']);
});

test('a health check that never passes fails the deploy with what it answered, and the old revision serves', async () => {
  const fixture = createTargetFixture({});
  fixture.request();
  await fixture.clock.elapse(100);
  fixture.plan = { answer: () => ({ problem: 'did not respond within 2 s' }) };
  const done = fixture.table.activate(testTarget({ revision: 'rev-2', health }), { signal });
  const failed = expect(done).rejects.toMatchObject({
    code: 'start_timeout',
    message:
      'The service was not ready within 240 s of its start. The health check GET /healthz failed: the service did not respond within 2 s.',
  });
  await fixture.clock.elapse(245_000);
  await failed;
  expect(revision(fixture)).toBe('rev-1');
  expect(fixture.runtime.running).toHaveLength(1);
});

test('an instance that fails its health check three times takes no requests until it passes, and is replaced when it does not', async () => {
  // Fails when a serving instance is not checked, or when one failure is enough.
  const fixture = createServiceFixture();
  let status = 200;
  fixture.plan = { answer: () => ({ status }) };
  const done = activate(fixture, { health, maxInstances: 1 });
  await fixture.clock.elapse(1_000);
  expect(await done).toBe('done');
  status = 500;
  await fixture.clock.elapse(21_000);
  const served = fixture.request();
  expect(served?.instance?.state).toBe('ready');
  await fixture.clock.elapse(10_000);
  expect(served?.instance?.state).toBe('unready');
  expect(fixture.events.filter(({ kind }) => kind === 'unhealthy')).toMatchObject([
    { message: expect.stringContaining('the service answered 500, 3 times in a row') },
  ]);
  const waiting = fixture.request();
  expect(waiting?.instance).toBeNull();
  status = 204;
  await fixture.clock.elapse(2_000);
  expect(waiting?.instance?.handle).toBe(fixture.runtime.instances[0]);
  for (const ticket of [served, waiting]) fixture.finish(ticket!);
  status = 500;
  await fixture.clock.elapse(70_000);
  expect(fixture.runtime.instances[0]?.hasExited).toBe(true);
});

test('a server that listens before its application is loaded is ready when it answers anything', async () => {
  // Fails without `lateApplication`: gunicorn accepts connections while its worker still imports the application, or fails to.
  const fixture = createServiceFixture();
  let isLoaded = false;
  fixture.plan = {
    answer: ({ method, path }) => {
      expect([method, path]).toEqual(['OPTIONS', '*']);
      return isLoaded ? { status: 404 } : { problem: 'did not respond within 5 s' };
    },
  };
  const artifact = { kind: 'image', reference: 'x', name: 'x', lateApplication: 'with_workers' } as const;
  const done = activate(fixture, { artifact, env: { WEB_CONCURRENCY: '2' } });
  await fixture.clock.elapse(8_000);
  expect(revision(fixture)).toBeUndefined();
  isLoaded = true;
  await fixture.clock.elapse(1_000);
  expect(await done).toBe('done');
  fixture.plan = { answer: () => ({ problem: 'is not asked' }) };
  const single = activate(fixture, { artifact, env: { WEB_CONCURRENCY: '1' }, revision: 'rev-3' });
  await fixture.clock.elapse(1_000);
  expect(await single).toBe('done');
});

test('a canceled one stops what it started', async () => {
  const fixture = createTargetFixture({});
  fixture.plan = { listenAfterMs: 60_000 };
  const abort = new AbortController();
  const done = activate(fixture, {}, { signal: abort.signal });
  await fixture.clock.elapse(1_000);
  abort.abort();
  await fixture.clock.elapse(1_000);
  expect(await done).toBe('cancelled');
  expect(fixture.runtime.running).toHaveLength(0);
  expect(revision(fixture)).toBe('rev-1');
});

test('one without room is out_of_capacity', async () => {
  const fixture = createTargetFixture({}, { memoryBytes: 150 });
  fixture.request();
  await fixture.clock.elapse(100);
  const done = activate(fixture);
  await fixture.clock.elapse(11_500);
  expect(await done).toBe('out_of_capacity');
  expect(fixture.runtime.running).toHaveLength(1);
});

test('one that finds no room waits a while for another service to become idle', async () => {
  const fixture = createTargetFixture({}, { memoryBytes: 150 });
  const busy = fixture.request()!;
  await fixture.clock.elapse(100);
  const done = fixture.table.activate(testTarget({ deployment: 'other' }), { signal }).then(() => 'done');
  await fixture.clock.elapse(3_000);
  fixture.finish(busy);
  await fixture.clock.elapse(4_000);
  expect(await done).toBe('done');
  expect(fixture.runtime.running).toHaveLength(1);
});

test('one larger than the machine is refused at once', async () => {
  const fixture = createTargetFixture({}, { memoryBytes: 150 });
  const done = activate(fixture, { memoryBytes: 151 });
  await fixture.clock.elapse(1);
  expect(await done).toBe('out_of_capacity');
});

test('as many as fit are brought up, one at least', async () => {
  const fixture = createTargetFixture({ concurrency: 1 }, { memoryBytes: 400 });
  for (let i = 0; i < 3; i++) fixture.request();
  await fixture.clock.elapse(200);
  const done = activate(fixture);
  await fixture.clock.elapse(200);
  expect(await done).toBe('done');
  expect(fixture.runtime.instances).toHaveLength(4);
});

test('removing ends an activation, refuses who waits, and resolves when all is gone', async () => {
  const fixture = createTargetFixture({});
  fixture.plan = { listenAfterMs: 60_000, stopTakesMs: 2_000 };
  const waiting = fixture.request();
  const done = activate(fixture);
  await fixture.clock.elapse(1_000);
  let isRemoved = false;
  const removed = fixture.table.remove('hello').then(() => {
    isRemoved = true;
  });
  expect(fixture.request()).toBeUndefined();
  expect(waiting?.refusal).toMatchObject({ status: 503, reason: 'deleted' });
  await fixture.clock.elapse(1_900);
  expect(isRemoved).toBe(false);
  await fixture.clock.elapse(200);
  await removed;
  expect(await done).toBe('cancelled');
  expect(fixture.runtime.running).toHaveLength(0);
  await fixture.table.remove('hello');
});

test('closing drains, then stops everything, and refuses activations', async () => {
  const fixture = createTargetFixture({});
  const open = fixture.request()!;
  await fixture.clock.elapse(100);
  const closed = fixture.table.close({ drainMs: 5_000 });
  expect(fixture.table.isClosing).toBe(true);
  await fixture.clock.elapse(4_000);
  expect(fixture.runtime.instances[0]?.stops).toBe(0);
  fixture.finish(open);
  await fixture.clock.elapse(1);
  await closed;
  expect(fixture.runtime.running).toHaveLength(0);
  expect(await activate(fixture)).toBe('cancelled');
  expect(fixture.clock.pending).toBe(0);
});

// Fails when the artifact is fetched while the start holds capacity (there would be none for the other service), or not at all.
test('the artifact is brought to this machine before capacity is taken, and why that fails is told', async () => {
  const fixture = createServiceFixture({ memoryBytes: testTarget().memoryBytes });
  const progress: string[] = [];
  const gate = Promise.withResolvers<void>();
  fixture.runtime.prepare = async ({ kind }, { onNotice }) => {
    fixture.runtime.prepare = async () => {};
    onNotice(`Fetching: ${kind}`);
    await gate.promise;
  };
  const done = activate(fixture, {}, { signal, onProgress: (message) => void progress.push(message) });
  await fixture.clock.elapse(1_000);
  expect(progress.at(-1)).toBe('Fetching: image');
  const other = activate(fixture, { deployment: 'other' });
  await fixture.clock.elapse(200);
  expect(await other).toBe('done');
  const removed = fixture.table.remove('other');
  await fixture.clock.elapse(1_000);
  await removed;
  gate.resolve();
  await fixture.clock.elapse(1_000);
  expect(await done).toBe('done');

  fixture.runtime.prepare = () => Promise.reject(createError('start_failed', 'The build result is damaged.'));
  expect(await activate(fixture, { revision: 'rev-3' })).toBe('start_failed');
  expect(revision(fixture)).toBe('rev-2');
});
