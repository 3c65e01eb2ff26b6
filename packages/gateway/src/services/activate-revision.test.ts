import { BerthError } from '@berth/kit';
import { expect, test } from 'vitest';
import { testTarget } from '../testing/test-target.ts';
import { createWorld, createWorldWith, type World } from '../testing/world.ts';

const signal = new AbortController().signal;

/** Settles with the code it failed with, or `done`. */
function activate(world: World, changes: Parameters<typeof testTarget>[0] = {}, options = { signal }) {
  return world.table.activate(testTarget({ revision: 'rev-2', ...changes }), options).then(
    () => 'done',
    (error: unknown) => (BerthError.is(error) ? error.code : error),
  );
}

const revision = (world: World) => world.table.find('hello')?.current?.target.revision;

test('the first revision has the route when its port answers, not before', async () => {
  const world = createWorld();
  world.plan = { listenAfterMs: 1_000 };
  const done = activate(world);
  await world.clock.elapse(900);
  expect(world.request()).toBeUndefined();
  await world.clock.elapse(200);
  expect(await done).toBe('done');
  expect(world.request()?.instance).not.toBeNull();
  expect(world.events[0]).toMatchObject({ kind: 'started', reason: 'deploy' });
});

test('as many instances as the old revision has ready are brought up before the switch', async () => {
  const world = createWorldWith({ concurrency: 1 });
  for (let i = 0; i < 3; i++) world.request();
  await world.clock.elapse(200);
  expect(world.runtime.instances).toHaveLength(3);
  const progress: string[] = [];
  const done = world.table.activate(testTarget({ revision: 'rev-2' }), { signal, onProgress: (m) => progress.push(m) });
  await world.clock.elapse(200);
  await done;
  expect(world.runtime.instances).toHaveLength(6);
  expect(progress[0]).toContain('3 instances');
  expect(revision(world)).toBe('rev-2');
});

test('the old revision finishes what it serves and is stopped then', async () => {
  const world = createWorldWith({});
  const old = world.request()!;
  await world.clock.elapse(100);
  const done = activate(world);
  await world.clock.elapse(200);
  await done;
  expect(world.request()?.instance?.handle).toBe(world.runtime.instances[1]);
  await world.clock.elapse(30_000);
  expect(world.runtime.instances[0]?.stops).toBe(0);
  world.finish(old);
  await world.clock.elapse(1);
  expect(world.runtime.instances[0]?.hasExited).toBe(true);
  expect(world.earlySignals).toEqual([]);
  expect(world.events.find(({ kind }) => kind === 'stopped')).toMatchObject({ reason: 'replaced', revision: 'rev-1' });
});

test('what the old revision still serves at its drain deadline is broken off', async () => {
  const world = createWorldWith({ timeoutMs: 20_000 });
  world.request();
  await world.clock.elapse(100);
  const done = activate(world);
  await world.clock.elapse(100);
  await done;
  await world.clock.elapse(19_000);
  expect(world.runtime.instances[0]?.stops).toBe(0);
  await world.clock.elapse(1_000);
  expect(world.runtime.instances[0]?.hasExited).toBe(true);
  expect(world.active.size).toBe(0);
});

test('I9: requests that wait for the old revision are served by the new one, in order', async () => {
  const world = createWorldWith({});
  world.plan = { listenAfterMs: 600_000 };
  const waiting = [world.request(), world.request()];
  await world.clock.elapse(100);
  world.plan = {};
  const done = activate(world);
  await world.clock.elapse(100);
  await done;
  expect(waiting.map((ticket) => ticket?.instance?.handle)).toEqual(Array(2).fill(world.runtime.instances[1]));
  await world.clock.elapse(1_000);
  expect(world.runtime.instances[0]?.hasExited).toBe(true);
});

test('a failed start leaves the old revision untouched and nothing of the new one', async () => {
  const world = createWorldWith({});
  const old = world.request()!;
  await world.clock.elapse(100);
  world.plan = { exitAfterMs: 50 };
  const done = activate(world);
  await world.clock.elapse(200);
  expect(await done).toBe('start_failed');
  expect(revision(world)).toBe('rev-1');
  expect(old.instance?.state).toBe('ready');
  expect(world.runtime.running).toHaveLength(1);
});

test('a port that never answers is start_timeout after 240 s', async () => {
  const world = createWorld();
  world.plan = { listenAfterMs: 1e9 };
  const done = activate(world);
  await world.clock.elapse(239_000);
  expect(world.runtime.running).toHaveLength(1);
  await world.clock.elapse(2_000);
  expect(await done).toBe('start_timeout');
  expect(world.runtime.running).toHaveLength(0);
  expect(world.table.find('hello')).toBeUndefined();
});

test('a service that listens elsewhere is told so at once, and given up when it has been idle for 5 s', async () => {
  // Fails when the first look or the end waits longer: a program that does not read PORT was waited for a minute.
  const world = createWorld();
  world.plan = { listenAfterMs: 1e9, listensOn: [3000] };
  const progress: string[] = [];
  const done = world.table.activate(testTarget(), { signal, onProgress: (message) => progress.push(message) });
  const failed = expect(done).rejects.toMatchObject({
    code: 'port_not_open',
    message: 'The service listens on 3000, not on $PORT (1): read the port from the PORT environment variable.',
  });
  await world.clock.elapse(300);
  expect(progress).toEqual([
    'Starting an instance and waiting for its port',
    'The service listens on 3000, not on $PORT (1): read the port from the PORT environment variable',
  ]);
  await world.clock.elapse(5_700);
  await failed;
  expect(progress).toHaveLength(2);
});

test('one that still works while it listens elsewhere is given a minute to open its own port', async () => {
  // Fails when CPU time does not count: a program that opens a port for metrics first and then loads a model would never start.
  const world = createWorld();
  const busy = () => ({ cpuMs: world.clock.monotonicMs() / 2, memoryBytes: 0 });
  world.plan = { listenAfterMs: 40_000, listensOn: [9100], stats: busy };
  const slow = activate(world);
  await world.clock.elapse(45_000);
  expect(await slow).toBe('done');
  world.plan = { listenAfterMs: 1e9, listensOn: [9100], stats: busy };
  const never = activate(world, { revision: 'rev-3' });
  await world.clock.elapse(63_000);
  expect(await never).toBe('port_not_open');
});

const health = { path: '/healthz', host: 'hello.test', intervalMs: 10_000, timeoutMs: 2_000 };

test('a revision has the route when its health check passes, not when its port opens', async () => {
  // Fails when `readiness.check` is not asked: rev-2 would take the requests that it answers 503.
  const world = createWorldWith({});
  world.request();
  await world.clock.elapse(100);
  const asked: unknown[] = [];
  let status = 503;
  world.plan = {
    answer: (question) => {
      asked.push(question);
      return { status };
    },
  };
  const progress: string[] = [];
  const done = world.table.activate(testTarget({ revision: 'rev-2', health }), {
    signal,
    onProgress: (message) => progress.push(message),
  });
  await world.clock.elapse(30_000);
  expect(revision(world)).toBe('rev-1');
  status = 302;
  await world.clock.elapse(2_000);
  await done;
  expect(revision(world)).toBe('rev-2');
  expect(asked[0]).toEqual({ method: 'GET', path: '/healthz', host: 'hello.test', timeoutMs: 2_000 });
  expect(progress.slice(1)).toEqual(['The health check GET /healthz failed: the service answered 503. Trying again']);
});

test('a health check that never passes fails the deploy with what it answered, and the old revision serves', async () => {
  const world = createWorldWith({});
  world.request();
  await world.clock.elapse(100);
  world.plan = { answer: () => ({ problem: 'gave no answer within 2 s' }) };
  const done = world.table.activate(testTarget({ revision: 'rev-2', health }), { signal });
  const failed = expect(done).rejects.toMatchObject({
    code: 'start_timeout',
    message:
      'The service was not ready within 240 s of its start. The health check GET /healthz failed: the service gave no answer within 2 s.',
  });
  await world.clock.elapse(245_000);
  await failed;
  expect(revision(world)).toBe('rev-1');
  expect(world.runtime.running).toHaveLength(1);
});

test('an instance that fails its health check three times takes no requests until it passes, and is replaced when it does not', async () => {
  // Fails when a serving instance is not checked, or when one failure is enough.
  const world = createWorld();
  let status = 200;
  world.plan = { answer: () => ({ status }) };
  const done = activate(world, { health, maxInstances: 1 });
  await world.clock.elapse(1_000);
  expect(await done).toBe('done');
  status = 500;
  await world.clock.elapse(21_000);
  const served = world.request();
  expect(served?.instance?.state).toBe('ready');
  await world.clock.elapse(10_000);
  expect(served?.instance?.state).toBe('unready');
  expect(world.events.filter(({ kind }) => kind === 'unhealthy')).toMatchObject([
    { message: expect.stringContaining('the service answered 500, 3 times in a row') },
  ]);
  const waiting = world.request();
  expect(waiting?.instance).toBeNull();
  status = 204;
  await world.clock.elapse(2_000);
  expect(waiting?.instance?.handle).toBe(world.runtime.instances[0]);
  for (const ticket of [served, waiting]) world.finish(ticket!);
  status = 500;
  await world.clock.elapse(70_000);
  expect(world.runtime.instances[0]?.hasExited).toBe(true);
});

test('a server that listens before its application is loaded is ready when it answers anything', async () => {
  // Fails without `lateApplication`: gunicorn accepts connections while its worker still imports the application, or fails to.
  const world = createWorld();
  let isLoaded = false;
  world.plan = {
    answer: ({ method, path }) => {
      expect([method, path]).toEqual(['OPTIONS', '*']);
      return isLoaded ? { status: 404 } : { problem: 'gave no answer within 5 s' };
    },
  };
  const artifact = { kind: 'image', reference: 'x', name: 'x', lateApplication: 'with_workers' } as const;
  const done = activate(world, { artifact, env: { WEB_CONCURRENCY: '2' } });
  await world.clock.elapse(8_000);
  expect(revision(world)).toBeUndefined();
  isLoaded = true;
  await world.clock.elapse(1_000);
  expect(await done).toBe('done');
  world.plan = { answer: () => ({ problem: 'is not asked' }) };
  const single = activate(world, { artifact, env: { WEB_CONCURRENCY: '1' }, revision: 'rev-3' });
  await world.clock.elapse(1_000);
  expect(await single).toBe('done');
});

test('a cancelled one stops what it started', async () => {
  const world = createWorldWith({});
  world.plan = { listenAfterMs: 60_000 };
  const abort = new AbortController();
  const done = activate(world, {}, { signal: abort.signal });
  await world.clock.elapse(1_000);
  abort.abort();
  await world.clock.elapse(1_000);
  expect(await done).toBe('cancelled');
  expect(world.runtime.running).toHaveLength(0);
  expect(revision(world)).toBe('rev-1');
});

test('one without room is out_of_capacity', async () => {
  const world = createWorldWith({}, { memoryBytes: 150 });
  world.request();
  await world.clock.elapse(100);
  const done = activate(world);
  await world.clock.elapse(11_500);
  expect(await done).toBe('out_of_capacity');
  expect(world.runtime.running).toHaveLength(1);
});

test('one that finds no room waits a while for another service to become idle', async () => {
  const world = createWorldWith({}, { memoryBytes: 150 });
  const busy = world.request()!;
  await world.clock.elapse(100);
  const done = world.table.activate(testTarget({ deployment: 'other' }), { signal }).then(() => 'done');
  await world.clock.elapse(3_000);
  world.finish(busy);
  await world.clock.elapse(4_000);
  expect(await done).toBe('done');
  expect(world.runtime.running).toHaveLength(1);
});

test('one larger than the machine is refused at once', async () => {
  const world = createWorldWith({}, { memoryBytes: 150 });
  const done = activate(world, { memoryBytes: 151 });
  await world.clock.elapse(1);
  expect(await done).toBe('out_of_capacity');
});

test('as many as fit are brought up, one at least', async () => {
  const world = createWorldWith({ concurrency: 1 }, { memoryBytes: 400 });
  for (let i = 0; i < 3; i++) world.request();
  await world.clock.elapse(200);
  const done = activate(world);
  await world.clock.elapse(200);
  expect(await done).toBe('done');
  expect(world.runtime.instances).toHaveLength(4);
});

test('removing ends an activation, refuses who waits, and resolves when all is gone', async () => {
  const world = createWorldWith({});
  world.plan = { listenAfterMs: 60_000, stopTakesMs: 2_000 };
  const waiting = world.request();
  const done = activate(world);
  await world.clock.elapse(1_000);
  let isRemoved = false;
  const removed = world.table.remove('hello').then(() => {
    isRemoved = true;
  });
  expect(world.request()).toBeUndefined();
  expect(waiting?.refusal).toMatchObject({ status: 503, reason: 'deleted' });
  await world.clock.elapse(1_900);
  expect(isRemoved).toBe(false);
  await world.clock.elapse(200);
  await removed;
  expect(await done).toBe('cancelled');
  expect(world.runtime.running).toHaveLength(0);
  await world.table.remove('hello');
});

test('closing drains, then stops everything, and refuses activations', async () => {
  const world = createWorldWith({});
  const open = world.request()!;
  await world.clock.elapse(100);
  const closed = world.table.close(5_000);
  expect(world.table.isClosing).toBe(true);
  await world.clock.elapse(4_000);
  expect(world.runtime.instances[0]?.stops).toBe(0);
  world.finish(open);
  await world.clock.elapse(1);
  await closed;
  expect(world.runtime.running).toHaveLength(0);
  expect(await activate(world)).toBe('cancelled');
  expect(world.clock.pending).toBe(0);
});
