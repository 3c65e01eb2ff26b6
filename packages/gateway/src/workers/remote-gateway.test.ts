import { createError } from '@berth/contract';
import { BerthError, createSilentLogger, type InstanceId, type LogFields } from '@berth/kit';
import { createFakeClock } from '@berth/testkit';
import { expect, test } from 'vitest';
import type {
  ActivateOptions,
  GatewayControl,
  GatewayEvents,
  InstanceEvent,
  InstanceReport,
  RevisionTarget,
} from '../port/gateway.ts';
import { createFakeLink } from '../testing/fake-link.ts';
import { testTarget } from '../testing/test-target.ts';
import type { FromControl, ToControl } from './control-messages.ts';
import { createRemoteGateway } from './create-remote-gateway.ts';
import { createEventRelay } from './event-relay.ts';
import { serveGateway } from './serve-gateway.ts';

const source = { account: 'acc_1', deployment: 'hello', revision: 'rev-1', instance: 'inst_1' };
const started: InstanceEvent = { ...source, timeMs: 0, kind: 'started', reason: 'request' };
const reportOf = (deployment: string, revision: string): InstanceReport => ({
  ...{ ...source, deployment, revision, state: 'ready', startedAtMs: 1, inFlight: 2, isBusy: false },
  ...{ cpuMillis: 30, memoryBytes: 4 },
});
const text = (chunk: Uint8Array) => Buffer.from(chunk).toString();

/** A core whose activations the test settles, and control planes that connect and disconnect. */
function createCore({ keptBytesMax = 10_000 } = {}) {
  const clock = createFakeClock();
  const warnings: LogFields[] = [];
  const logger = { ...createSilentLogger(), warn: (fields: LogFields) => void warnings.push(fields) };
  const relay = createEventRelay({ logger, keptBytesMax });
  const routes = new Map<string, string>();
  const calls: string[] = [];
  let activation = async (_target: RevisionTarget, _options: ActivateOptions) => {};
  const gateway: GatewayControl = {
    register({ deployment, revision }) {
      calls.push(`register ${revision}`);
      if (!routes.has(deployment)) routes.set(deployment, revision);
    },
    async activate(target, options) {
      calls.push(`activate ${target.revision}`);
      await activation(target, options);
      routes.set(target.deployment, target.revision);
    },
    async release({ revision }, { onProgress, onOutput }) {
      onProgress?.(`Running the release command of ${revision}`);
      onOutput?.('migrated');
      throw createError('start_failed', 'it failed');
    },
    async remove(deployment) {
      calls.push(`remove ${deployment}`);
      routes.delete(deployment);
    },
    async hold(deployment, { instance = 'inst_1' }) {
      const revision = routes.get(deployment);
      if (revision === undefined) throw createError('not_found', `no ${deployment}`);
      calls.push(`hold ${instance}`);
      return { instance: instance as InstanceId, revision, release: () => void calls.push(`let go ${instance}`) };
    },
    async startOneOff({ revision }) {
      calls.push(`start one-off ${revision}`);
      const instance = 'inst_2' as InstanceId;
      return { instance, revision, release: () => void calls.push(`let go ${instance}`) };
    },
    snapshot(deployment) {
      const revision = routes.get(deployment);
      return revision === undefined ? undefined : { revision, instances: 1, busy: 0, inFlight: 0, queued: 0 };
    },
    *loads() {
      for (const deployment of routes.keys())
        yield { deployment, inFlight: 0, queued: 0, busy: 0, instances: { ready: 1 } };
    },
    instances: async (deployment) =>
      [...routes].flatMap(([name, revision]) => ((deployment ?? name) === name ? [reportOf(name, revision)] : [])),
    close: async () => void calls.push('close'),
  };
  return {
    clock,
    relay,
    routes,
    calls,
    warnings,
    whenActivating(given: typeof activation) {
      activation = given;
    },
    /** Connects a control plane that records its events. */
    connect(onOutput: GatewayEvents['onOutput'] = () => {}) {
      const link = createFakeLink<ToControl, FromControl>(clock, () => 1);
      const defer = (callback: () => void) => void clock.setTimer(0, callback);
      const heard: string[] = [];
      const routesKnown = async () => void calls.push('routes known');
      serveGateway({ gateway, routesKnown, relay, port: link.near, clock, logger, defer });
      const remote = createRemoteGateway({
        port: link.far,
        logger,
        defer,
        events: {
          onRequest: (record) => void heard.push(`request ${record.url}`),
          onInstance: (event) => void heard.push(event.kind),
          onOutput(from, stream, chunk) {
            heard.push(`${stream} ${text(chunk)}`);
            return onOutput(from, stream, chunk);
          },
        },
      });
      return { remote, heard, kill: link.kill };
    },
  };
}

const never = () => new AbortController().signal;

// Fails when a hold outlives the control plane that asked for it: the instance would never be stopped again.
test('an instance is held until it is let go, or its control plane is gone', async () => {
  const core = createCore();
  core.routes.set('hello', 'rev-1');
  const { remote, kill } = core.connect();
  await core.clock.elapse(10);
  const holding = remote.hold('hello', { instance: 'inst_7', signal: never() });
  await core.clock.elapse(10);
  const held = await holding;
  expect(held).toMatchObject({ instance: 'inst_7', revision: 'rev-1' });
  held.release();
  await core.clock.elapse(10);
  expect(core.calls).toEqual(['hold inst_7', 'let go inst_7']);
  const missing = expect(remote.hold('other', { signal: never() })).rejects.toMatchObject({ code: 'not_found' });
  await core.clock.elapse(10);
  await missing;
  const again = remote.hold('hello', { signal: never() });
  await core.clock.elapse(10);
  await again;
  kill();
  await core.clock.elapse(10);
  expect(core.calls.slice(2)).toEqual(['hold inst_1', 'let go inst_1']);
});

test('an instance for commands ends when it is let go', async () => {
  const core = createCore();
  const { remote } = core.connect();
  await core.clock.elapse(10);
  const starting = remote.startOneOff(testTarget({ revision: 'rev-1' }), { signal: never() });
  await core.clock.elapse(10);
  const one = await starting;
  expect(one).toMatchObject({ instance: 'inst_2', revision: 'rev-1' });
  one.release();
  await core.clock.elapse(10);
  expect(core.calls).toEqual(['start one-off rev-1', 'let go inst_2']);
});

test('what serves is known before the first call, and what a call changes when it resolves', async () => {
  const core = createCore();
  core.routes.set('hello', 'rev-1');
  const { remote } = core.connect();
  await core.clock.elapse(10);
  await remote.ready;
  expect(remote.snapshot('hello')).toMatchObject({ revision: 'rev-1' });
  remote.register(testTarget({ deployment: 'other', revision: 'rev-7' }));
  expect(remote.snapshot('other')).toMatchObject({ revision: 'rev-7' });
  remote.register(testTarget({ revision: 'rev-9' }));
  expect(remote.snapshot('hello')).toMatchObject({ revision: 'rev-1' });
  const known = remote.routesKnown();
  await core.clock.elapse(10);
  await known;
  expect(core.calls).toEqual(['register rev-7', 'register rev-9', 'routes known']);
  const activated = remote.activate(testTarget({ revision: 'rev-2' }), { signal: never() });
  await core.clock.elapse(10);
  await activated;
  expect(remote.snapshot('hello')).toMatchObject({ revision: 'rev-2' });
  const removed = remote.remove('hello');
  await core.clock.elapse(10);
  await removed;
  expect(remote.snapshot('hello')).toBeUndefined();
  expect([...remote.loads()].map(({ deployment }) => deployment)).toEqual(['other']);
  core.routes.set('late', 'rev-1');
  await core.clock.elapse(600);
  expect(remote.snapshot('late')).toBeDefined();
});

test('instances are those of the core at the time of the call', async () => {
  const core = createCore();
  const { remote } = core.connect();
  await core.clock.elapse(10);
  core.routes.set('hello', 'rev-1').set('other', 'rev-2');
  const asked = Promise.all([remote.instances('other'), remote.instances(), remote.instances('none')]);
  await core.clock.elapse(10);
  const [other, all, none] = await asked;
  // Fails when the answer of one call settles another, or when a name isn't passed on.
  expect(other).toEqual([reportOf('other', 'rev-2')]);
  expect(all).toEqual([reportOf('hello', 'rev-1'), reportOf('other', 'rev-2')]);
  expect(none).toEqual([]);
});

test('an activation tells how it goes, fails as it did there, and ends when it is aborted', async () => {
  const core = createCore();
  const { remote } = core.connect();
  const said: string[] = [];
  core.whenActivating(async (_target, { onProgress }) => {
    onProgress?.('Starting');
    throw createError('start_failed', 'It exited.', { details: { exit: { exitCode: 3 } }, cause: new Error('why') });
  });
  const failed = remote
    .activate(testTarget(), { signal: never(), onProgress: (message) => void said.push(message) })
    .catch((error: unknown) => error);
  await core.clock.elapse(10);
  expect(await failed).toMatchObject({ code: 'start_failed', status: 422, details: { exit: { exitCode: 3 } } });
  expect(BerthError.is(await failed)).toBe(true);
  expect(said).toEqual(['Starting']);

  core.whenActivating(
    (_target, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(createError('cancelled', 'The deploy was canceled.')));
      }),
  );
  const abort = new AbortController();
  const cancelled = remote.activate(testTarget(), { signal: abort.signal }).catch((error: unknown) => error);
  await core.clock.elapse(10);
  abort.abort();
  await core.clock.elapse(10);
  expect(await cancelled).toMatchObject({ code: 'cancelled' });
  expect(core.routes.size).toBe(0);
});

test('a control plane that dies cancels its activations and nothing else; the next one may ask again for what is done', async () => {
  const core = createCore();
  core.routes.set('hello', 'rev-1');
  const first = core.connect();
  let isAborted = false;
  core.whenActivating(
    (_target, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          isAborted = true;
          reject(createError('cancelled', 'The deploy was canceled.'));
        });
      }),
  );
  first.remote.activate(testTarget({ revision: 'rev-2' }), { signal: never() }).catch(() => {});
  await core.clock.elapse(10);
  first.kill();
  await core.clock.elapse(10);
  expect(isAborted).toBe(true);
  expect(core.routes.get('hello')).toBe('rev-1');

  const second = core.connect();
  await core.clock.elapse(10);
  second.remote.register(testTarget({ revision: 'rev-1' }));
  const again = second.remote.activate(testTarget({ revision: 'rev-1' }), { signal: never() });
  await core.clock.elapse(10);
  await again;
  expect(core.calls).toEqual(['activate rev-2', 'register rev-1']);
  await second.remote.close();
  await core.clock.elapse(10);
  await expect(second.remote.remove('hello')).rejects.toMatchObject({ code: 'unavailable' });
  expect(core.calls).not.toContain('close');
});

test('while nobody listens nothing waits; what was kept comes first and in order, and what was lost is said', async () => {
  const core = createCore({ keptBytesMax: 4_000 });
  const { events, onRecords } = core.relay;
  const print = (line: string) => events.onOutput(source, 'stdout', Buffer.from(line));
  events.onInstance(started);
  for (let i = 0; i < 20; i++) expect(print(`line ${i}\n`)).toBeUndefined();
  onRecords(Buffer.from(JSON.stringify([{ url: '/kept' }])), 1);
  events.onInstance({ ...source, timeMs: 0, kind: 'ended' });
  const { heard } = core.connect();
  await core.clock.elapse(10);
  const lines = heard.filter((each) => each.startsWith('stdout'));
  const lostBytes = Array.from({ length: 20 - lines.length }, (_, i) => `line ${i}\n`.length).reduce(
    (a, b) => a + b,
    0,
  );
  expect(lines.length).toBeGreaterThan(2);
  expect(heard).toEqual([
    `stderr berth: ${lostBytes} bytes of output are missing: the log could not be written\n`,
    'started',
    ...Array.from({ length: lines.length }, (_, i) => `stdout line ${20 - lines.length + i}\n`),
    'request /kept',
    'ended',
  ]);
});

test('while somebody listens an instance that prints a lot waits until it is written; not when the listener dies', async () => {
  const core = createCore();
  const written: (() => void)[] = [];
  const { kill } = core.connect(() => new Promise((resolve) => written.push(resolve)));
  await core.clock.elapse(10);
  const chunk = Buffer.alloc(200_000);
  expect(core.relay.events.onOutput(source, 'stdout', chunk)).toBeUndefined();
  let isFree = false;
  const pressure = core.relay.events.onOutput(source, 'stdout', chunk);
  expect(pressure).toBeDefined();
  void pressure?.then(() => {
    isFree = true;
  });
  await core.clock.elapse(10);
  expect(isFree).toBe(false);
  written[0]?.();
  await core.clock.elapse(10);
  expect(isFree).toBe(true);
  const stuck = core.relay.events.onOutput(source, 'stdout', chunk);
  expect(stuck).toBeDefined();
  kill();
  await core.clock.elapse(10);
  await stuck;
  expect(core.relay.events.onOutput(source, 'stdout', chunk)).toBeUndefined();
});

test('records that come faster than they are read are dropped and counted, and no more than that', async () => {
  const core = createCore({ keptBytesMax: 200 });
  const { heard } = core.connect();
  await core.clock.elapse(10);
  const records = (url: string) => Buffer.from(JSON.stringify([{ url }, { url: `${url}/2` }]).padEnd(80));
  for (const url of ['/a', '/b', '/c', '/d']) core.relay.onRecords(records(url), 2);
  await core.clock.elapse(10);
  expect(heard).toEqual(['request /a', 'request /a/2', 'request /b', 'request /b/2']);
  expect(core.warnings).toEqual([{ requests: 4 }]);
  core.relay.onRecords(records('/e'), 2);
  await core.clock.elapse(10);
  expect(heard.slice(4)).toEqual(['request /e', 'request /e/2']);
  expect(core.warnings).toHaveLength(1);
});

// Fails when the core doesn't send the output lines of a release, or its error.
test('a release command is heard and fails over the link as it does in one process', async () => {
  const core = createCore();
  const { remote } = core.connect();
  const said: string[] = [];
  const released = remote.release(testTarget(), {
    signal: new AbortController().signal,
    onProgress: (message) => said.push(message),
    onOutput: (line) => said.push(`| ${line}`),
  });
  const failed = expect(released).rejects.toMatchObject({ code: 'start_failed', message: 'it failed' });
  await core.clock.elapse(10);
  await failed;
  expect(said).toEqual(['Running the release command of rev-1', '| migrated']);
});
