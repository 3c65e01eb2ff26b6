import { expect, test } from 'vitest';
import { createTargetFixture, type ServiceFixture } from '../testing/service-fixture.ts';

/** A request that has a slot. */
async function granted(fixture: ServiceFixture) {
  const ticket = fixture.request()!;
  await fixture.clock.elapse(100);
  expect(ticket.instance).not.toBeNull();
  return ticket;
}

test('the first request starts an instance and waits for its port', async () => {
  const fixture = createTargetFixture({});
  fixture.plan = { listenAfterMs: 300 };
  const ticket = fixture.request();
  await fixture.clock.elapse(299);
  expect(ticket?.instance).toBeNull();
  await fixture.clock.elapse(60);
  expect(ticket?.instance?.state).toBe('ready');
  expect(fixture.events.map(({ kind }) => kind)).toEqual(['started', 'ready']);
  expect(fixture.events[0]).toMatchObject({ reason: 'request' });
});

test('requests beyond the concurrency wait, and go on in order as slots come free', async () => {
  const fixture = createTargetFixture({ concurrency: 2, maxInstances: 1 });
  const all = Array.from({ length: 4 }, () => fixture.request());
  await fixture.clock.elapse(100);
  expect(all.map((ticket) => ticket?.instance !== null)).toEqual([true, true, false, false]);
  fixture.finish(all[1]!);
  expect(all[2]?.instance).not.toBeNull();
  expect(all[3]?.instance).toBeNull();
});

test('a load above 60 % starts another instance, also without a queue', async () => {
  const fixture = createTargetFixture({ concurrency: 10 });
  for (let i = 0; i < 6; i++) fixture.request();
  await fixture.clock.elapse(100);
  expect(fixture.runtime.instances).toHaveLength(1);
  fixture.request();
  await fixture.clock.elapse(100);
  expect(fixture.runtime.instances).toHaveLength(2);
  expect(fixture.events.filter(({ kind }) => kind === 'started')[1]).toMatchObject({ reason: 'scale_up' });
});

test('a full queue refuses with 429', async () => {
  const fixture = createTargetFixture({ concurrency: 1, maxInstances: 1 });
  const all = Array.from({ length: 11 }, () => fixture.request());
  expect(all[9]?.refusal).toBeNull();
  expect(all[10]?.refusal).toMatchObject({ status: 429, reason: 'queue_full' });
});

test('a queue that holds too many bytes refuses with 429', async () => {
  const fixture = createTargetFixture({}, { policy: { queueBytesMax: 100 } });
  expect(fixture.request('hello', { queuedBytes: 60 })?.refusal).toBeNull();
  expect(fixture.request('hello', { queuedBytes: 60 })?.refusal).toMatchObject({ status: 429, reason: 'queue_full' });
  expect(fixture.request('hello', { queuedBytes: 40 })?.refusal).toBeNull();
});

test('at max instances a request waits for 10 s, then 429', async () => {
  const fixture = createTargetFixture({ concurrency: 1, maxInstances: 1 });
  fixture.request();
  await fixture.clock.elapse(1_000);
  const waiting = fixture.request();
  await fixture.clock.elapse(9_999);
  expect(waiting?.refusal).toBeNull();
  await fixture.clock.elapse(1);
  expect(waiting?.refusal).toMatchObject({ status: 429, reason: 'at_max_instances' });
});

test('a service timeout shorter than the wait is 504', async () => {
  const fixture = createTargetFixture({ timeoutMs: 2_000 });
  fixture.plan = { listenAfterMs: 60_000 };
  const ticket = fixture.request();
  await fixture.clock.elapse(2_000);
  expect(ticket?.refusal).toMatchObject({ status: 504, reason: 'request_timeout' });
});

test('a cold start that takes longer than 10 s is waited for', async () => {
  const fixture = createTargetFixture({ maxInstances: 1 });
  fixture.plan = { listenAfterMs: 30_000 };
  const ticket = fixture.request();
  await fixture.clock.elapse(33_000);
  expect(ticket?.instance).not.toBeNull();
});

test('a client that leaves the queue is forgotten', async () => {
  const fixture = createTargetFixture({});
  const ticket = fixture.request()!;
  fixture.abandon(ticket);
  await fixture.clock.elapse(1_000);
  expect(ticket.outcomes).toBe(0);
  expect(fixture.table.snapshot('hello')).toMatchObject({ queued: 0, inFlight: 0 });
});

test('an app that exits at once is tried again with backoff, and the request hears why as soon as no try can help', async () => {
  const fixture = createTargetFixture({});
  fixture.plan = { exitAfterMs: 10 };
  const ticket = fixture.request();
  await fixture.clock.elapse(7_000);
  expect(ticket?.refusal).toBeNull();
  await fixture.clock.elapse(1_000);
  expect(ticket?.refusal).toMatchObject({ status: 503, reason: 'start_failed' });
  expect(ticket?.refusal?.message).toContain('exited with code 1');
  expect(fixture.runtime.instances).toHaveLength(5);
  expect(fixture.events.filter(({ kind }) => kind === 'start_failed')).toHaveLength(5);
  expect(fixture.events.filter(({ kind }) => kind === 'ended')).toHaveLength(5);
  // The next one's wait ends after the next try, which is already due late: it hears at once after that.
  const next = fixture.request();
  await fixture.clock.elapse(9_000);
  expect(next?.refusal).toMatchObject({ status: 503, reason: 'start_failed' });
});

test('an app that recovers serves those that waited', async () => {
  const fixture = createTargetFixture({});
  fixture.plan = { exitAfterMs: 10 };
  const ticket = fixture.request();
  await fixture.clock.elapse(1_000);
  fixture.plan = {};
  await fixture.clock.elapse(2_000);
  expect(ticket?.instance).not.toBeNull();
});

test('a crash without demand restarts nothing; the next request does', async () => {
  const fixture = createTargetFixture({});
  const first = fixture.request()!;
  await fixture.clock.elapse(100);
  fixture.finish(first);
  fixture.crash(fixture.runtime.instances[0]!);
  await fixture.clock.elapse(20_000);
  expect(fixture.runtime.instances).toHaveLength(1);
  expect(fixture.events.at(-3)).toMatchObject({ kind: 'crashed', exit: { signal: 'SIGKILL' } });
  expect(fixture.events.at(-1)).toMatchObject({ kind: 'ended' });
  const next = fixture.request();
  await fixture.clock.elapse(100);
  expect(next?.instance).not.toBeNull();
  expect(fixture.events.filter(({ kind }) => kind === 'started')[1]).toMatchObject({ reason: 'restart_after_crash' });
});

test('a crash with a queue restarts after the backoff', async () => {
  const fixture = createTargetFixture({ concurrency: 1, maxInstances: 1 });
  fixture.request();
  const waiting = fixture.request();
  await fixture.clock.elapse(100);
  fixture.crash(fixture.runtime.instances[0]!);
  await fixture.clock.elapse(400);
  expect(fixture.runtime.instances).toHaveLength(1);
  await fixture.clock.elapse(300);
  expect(waiting?.instance?.handle).toBe(fixture.runtime.instances[1]);
});

test('the last instance goes after the idle timeout, and memory comes back', async () => {
  const fixture = createTargetFixture({}, { memoryBytes: 100, policy: { idleTimeoutMs: 60_000 } });
  const ticket = fixture.request()!;
  await fixture.clock.elapse(1_000);
  fixture.finish(ticket);
  await fixture.clock.elapse(59_000);
  expect(fixture.runtime.running).toHaveLength(1);
  await fixture.clock.elapse(4_000);
  expect(fixture.runtime.running).toHaveLength(0);
  expect(fixture.events.find(({ kind }) => kind === 'stopped')).toMatchObject({ reason: 'idle' });
  const next = fixture.request();
  await fixture.clock.elapse(100);
  expect(next?.instance).not.toBeNull();
});

test('at max instances a start follows at once when the last one has ended', async () => {
  const fixture = createTargetFixture({ maxInstances: 1 }, { policy: { idleTimeoutMs: 10_000 } });
  fixture.plan = { stopTakesMs: 3_000 };
  fixture.finish(await granted(fixture));
  await fixture.clock.elapse(12_000);
  expect(fixture.runtime.instances[0]?.stops).toBe(1);
  const next = fixture.request();
  await fixture.clock.elapse(3_000);
  expect(next?.instance?.handle).toBe(fixture.runtime.instances[1]);
});

test('an instance with an open request is never idle', async () => {
  const fixture = createTargetFixture({ timeoutMs: 3_600_000 }, { policy: { idleTimeoutMs: 60_000 } });
  fixture.request();
  await fixture.clock.elapse(3_000_000);
  expect(fixture.runtime.running).toHaveLength(1);
});

test('billable is the start and the time with requests, in steps of 100 ms', async () => {
  const fixture = createTargetFixture({}, { policy: { idleTimeoutMs: 60_000 } });
  fixture.plan = { listenAfterMs: 340 };
  const ticket = fixture.request()!;
  await fixture.clock.elapse(360);
  expect(ticket.instance).not.toBeNull();
  await fixture.clock.elapse(1_000);
  fixture.finish(ticket);
  await fixture.clock.elapse(70_000);
  const billed = fixture.events.filter((event) => event.kind === 'billed');
  expect(billed.reduce((sum, { billableMs }) => sum + billableMs, 0)).toBe(1_400);
});

test('what runs on is billed while it runs, with what it takes of the machine', async () => {
  const fixture = createTargetFixture({ cpuMillis: 500, timeoutMs: 600_000 });
  fixture.request();
  await fixture.clock.elapse(60_000);
  const billed = fixture.events.filter((event) => event.kind === 'billed');
  expect(billed.length).toBeGreaterThanOrEqual(6);
  expect(billed[0]).toMatchObject({ memoryBytes: 100, cpuMillis: 500 });
  const sum = billed.reduce((total, { billableMs }) => total + billableMs, 0);
  expect(sum).toBeGreaterThan(55_000);
  expect(sum).toBeLessThanOrEqual(60_000);
});

test('an instance that refuses connections takes nothing until its port answers again', async () => {
  const fixture = createTargetFixture({ maxInstances: 1 });
  const first = fixture.request()!;
  await fixture.clock.elapse(100);
  const [handle] = fixture.runtime.instances;
  fixture.setListening(handle!, false);
  const { instance, pool } = first;
  fixture.finish(first);
  pool?.onConnectFailed(instance!);
  const retried = fixture.request();
  await fixture.clock.elapse(1_000);
  expect(retried?.instance).toBeNull();
  fixture.setListening(handle!, true);
  await fixture.clock.elapse(100);
  expect(retried?.instance).toBe(instance);
});

test('an instance whose port stays shut is replaced', async () => {
  const fixture = createTargetFixture({ maxInstances: 1 });
  const first = fixture.request()!;
  await fixture.clock.elapse(100);
  fixture.setListening(fixture.runtime.instances[0]!, false);
  fixture.finish(first);
  first.pool?.onConnectFailed(first.instance!);
  await fixture.clock.elapse(32_000);
  expect(fixture.events.filter(({ kind }) => kind === 'crashed')).toHaveLength(1);
  const next = fixture.request();
  await fixture.clock.elapse(2_000);
  expect(next?.instance?.handle).toBe(fixture.runtime.instances[1]);
});

test('affinity: the named instance is taken while it has a slot, else another', async () => {
  const fixture = createTargetFixture({ concurrency: 4, sessionAffinity: true });
  for (let i = 0; i < 6; i++) fixture.request();
  await fixture.clock.elapse(200);
  for (const ticket of [...fixture.active]) fixture.finish(ticket);
  const [first, second] = fixture.tickets
    .map((ticket) => ticket.instance)
    .filter((each, i, all) => all.indexOf(each) === i);
  expect(second).toBeDefined();
  const named = Array.from({ length: 5 }, () => fixture.request('hello', { affinityKey: second!.affinityKey }));
  expect(named.slice(0, 4).every((ticket) => ticket?.instance === second)).toBe(true);
  expect(named[4]?.instance).toBe(first);
  expect(fixture.request('hello', { affinityKey: 'forged' })?.instance).toBe(first);
});

test('suspends what is idle and thaws it for the next request, before anything is started', async () => {
  const fixture = createTargetFixture(
    {},
    { canSuspend: true, policy: { suspendAfterMs: 10_000, idleTimeoutMs: 60_000 } },
  );
  const first = fixture.request()!;
  await fixture.clock.elapse(100);
  fixture.finish(first);
  await fixture.clock.elapse(13_000);
  const [instance] = fixture.runtime.instances;
  expect(instance?.isSuspended).toBe(true);
  const next = fixture.request();
  await fixture.clock.elapse(1);
  expect(instance?.isSuspended).toBe(false);
  expect(next?.instance?.handle).toBe(instance);
  fixture.finish(next!);
  await fixture.clock.elapse(75_000);
  expect(fixture.runtime.running).toHaveLength(0);
  expect(instance?.isSuspended).toBe(false);
});

test('what is suspended is not billed, and makes room for others first', async () => {
  const fixture = createTargetFixture({}, { canSuspend: true, memoryBytes: 200, policy: { suspendAfterMs: 10_000 } });
  const target = fixture.table.find('hello')!.current!.target;
  for (const deployment of ['other', 'third']) fixture.table.register({ ...target, deployment });
  const first = fixture.request()!;
  await fixture.clock.elapse(100);
  fixture.finish(first);
  await fixture.clock.elapse(30_000);
  const idle = fixture.request('other')!;
  await fixture.clock.elapse(100);
  fixture.finish(idle);
  await fixture.clock.elapse(5_000);
  const billed = () => fixture.events.filter(({ kind, deployment }) => kind === 'billed' && deployment === 'hello');
  expect(billed().reduce((sum, event) => sum + (event.kind === 'billed' ? event.billableMs : 0), 0)).toBeLessThan(500);
  expect(fixture.events.map(({ kind }) => kind)).toContain('suspended');
  const next = fixture.request('third');
  await fixture.clock.elapse(100);
  expect(next?.instance).not.toBeNull();
  expect(fixture.table.find('hello')?.current?.fleet.size).toBe(0);
  expect(fixture.table.find('other')?.current?.fleet.size).toBe(1);
});

test('without room a request waits for the deadline and hears of it; room that comes free is used', async () => {
  const fixture = createTargetFixture({}, { memoryBytes: 100 });
  fixture.table.register({ ...fixture.table.find('hello')!.current!.target, deployment: 'other' });
  const holder = fixture.request('other')!;
  await fixture.clock.elapse(100);
  const starved = fixture.request();
  await fixture.clock.elapse(10_000);
  expect(starved?.refusal).toMatchObject({ status: 503, reason: 'out_of_capacity' });
  const waiting = fixture.request();
  await fixture.clock.elapse(1_000);
  fixture.finish(holder);
  // It must be idle for a second before it may be reclaimed; the tick after that does it.
  await fixture.clock.elapse(4_000);
  expect(waiting?.instance).not.toBeNull();
  expect(fixture.events.find(({ kind }) => kind === 'stopped')).toMatchObject({ deployment: 'other' });
});
