import { BUSY_PATH, REPLACED_HEADER } from '@berth/contract/busy';
import { expect, test } from 'vitest';
import type { HttpAnswer } from '../instances/http-probe.ts';
import type { InstanceEvent, RevisionTarget } from '../port/gateway.ts';
import type { GatewayPolicy } from '../port/gateway-policy.ts';
import { createTargetFixture, type ServiceFixture } from '../testing/service-fixture.ts';
import { testTarget } from '../testing/test-target.ts';

// Holds the gateway to the contract: verifies('busy.kept', 'busy.answers', 'busy.limit', 'busy.billed')

const POLICY = { idleTimeoutMs: 120_000, suspendAfterMs: 10_000 };
const DAY_MS = 86_400_000;

const busyEnds = ({ events }: ServiceFixture) =>
  events.filter((event): event is Extract<InstanceEvent, { kind: 'busy_ended' }> => event.kind === 'busy_ended');
const reasons = (fixture: ServiceFixture) => busyEnds(fixture).map(({ reason }) => reason);
const kinds = ({ events }: ServiceFixture) => events.map(({ kind }) => kind);
const billedMs = ({ events }: ServiceFixture) =>
  events.reduce((sum, event) => sum + (event.kind === 'billed' ? event.billableMs : 0), 0);

/** Creates a fixture whose programs answer the question in this way; `asked` has the times of the questions. */
function createAskedFixture(
  answer: (fixture: ServiceFixture) => HttpAnswer,
  options: { readonly policy?: Partial<GatewayPolicy>; readonly memoryBytes?: number } = {},
) {
  const fixture = createTargetFixture({}, { canSuspend: true, ...options, policy: { ...POLICY, ...options.policy } });
  const asked: number[] = [];
  fixture.plan = {
    answer({ path }) {
      if (path !== BUSY_PATH) return { status: 200 };
      asked.push(fixture.clock.monotonicMs());
      return answer(fixture);
    },
  };
  return { fixture, asked };
}

/** Serves a request for a second. */
async function serveOne(fixture: ServiceFixture, deployment = 'hello'): Promise<void> {
  const ticket = fixture.request(deployment);
  await fixture.clock.elapse(1_000);
  if (ticket === undefined) throw new Error('there is no route');
  fixture.finish(ticket);
}

/** Deploys another revision. */
async function deploySecond(fixture: ServiceFixture, changes: Partial<RevisionTarget> = {}): Promise<void> {
  const target = testTarget({ revision: 'rev-2', ...changes });
  const { signal } = new AbortController();
  await Promise.all([fixture.table.activate(target, { signal }), fixture.clock.elapse(100)]);
}

const body = (value: object): HttpAnswer => ({ status: 200, body: JSON.stringify(value) });
const inMs = ({ clock }: ServiceFixture, ms: number) => new Date(clock.nowMs() + ms).toISOString();

// Fails when Fleet.idle has the busy ones too, or watchWork doesn't ask them again.
test('an instance that is busy is neither suspended nor stopped; it is suspended when it was idle after that', async () => {
  const fixture = createTargetFixture({}, { canSuspend: true, policy: POLICY });
  await serveOne(fixture);
  const [instance] = fixture.runtime.instances;
  fixture.working.add(instance!);
  await fixture.clock.elapse(600_000);
  expect([instance?.isSuspended, instance?.stops]).toEqual([false, 0]);
  expect(kinds(fixture).filter((kind) => kind === 'busy')).toHaveLength(1);
  expect(fixture.table.snapshot('hello')).toMatchObject({ instances: 1, busy: 1 });
  expect([...fixture.table.loads()]).toMatchObject([{ busy: 1, instances: { ready: 1 } }]);
  fixture.working.clear();
  await fixture.clock.elapse(8_000);
  expect(reasons(fixture)).toEqual(['no_answer']);
  expect([...fixture.table.loads()]).toMatchObject([{ busy: 0 }]);
  expect(instance?.isSuspended).toBe(false);
  await fixture.clock.elapse(14_000);
  expect(instance?.isSuspended).toBe(true);
});

// Fails when Fleet.idle has busy ones, whose place in the decision an idle one then doesn't get.
test('of two instances where one is enough, the one without work is stopped', async () => {
  const fixture = createTargetFixture({ concurrency: 1 });
  const tickets = [fixture.request()!, fixture.request()!];
  await fixture.clock.elapse(1_000);
  const [busy, idle] = tickets.map(({ instance }) => fixture.runtime.running.find((one) => one === instance?.handle));
  fixture.finish(tickets[0]!);
  await fixture.clock.elapse(5_000);
  fixture.finish(tickets[1]!);
  fixture.working.add(busy!);
  await fixture.clock.elapse(150_000);
  expect([busy?.stops, idle?.stops]).toEqual([0, 1]);
});

// Fails when an answer is forgotten before the next request, so that the service is asked at every tick.
test.each([
  ['404', { status: 404, body: 'Not found' }],
  ['a page', { status: 200, body: '<!doctype html>' }],
  ['another object', body({ busy: 'yes' })],
  ['a body that is too long', { status: 200 }],
  ['a redirect', { status: 301, body: '{"busy":true}' }],
  ['an error that says busy', { status: 503, body: '{"busy":true}' }],
  ['no connection', { problem: 'refused the connection' }],
])('a service that answers %s has no work, and is asked once between two requests', async (_what, answer) => {
  const { fixture, asked } = createAskedFixture(() => answer);
  await serveOne(fixture);
  await fixture.clock.elapse(40_000);
  expect(fixture.runtime.instances[0]?.isSuspended).toBe(true);
  await fixture.clock.elapse(300_000);
  expect([fixture.runtime.running.length, asked.length]).toEqual([0, 1]);
  await serveOne(fixture);
  await fixture.clock.elapse(DAY_MS);
  expect(asked).toHaveLength(2);
  expect(kinds(fixture)).not.toContain('busy');
});

// Fails when a `false` is remembered: work that a timer began later would be frozen.
test('a service that says that it has no work is asked again before the next step', async () => {
  let isBusy = false;
  const { fixture, asked } = createAskedFixture(() => body({ busy: isBusy }), { policy: { suspendAfterMs: 0 } });
  fixture.table.register(testTarget({ deployment: 'other' }));
  await serveOne(fixture);
  fixture.plan = {};
  await fixture.clock.elapse(60_000);
  expect(asked).toEqual([]);
  isBusy = true;
  await fixture.clock.elapse(DAY_MS / 48);
  expect(fixture.runtime.running).toHaveLength(1);
  isBusy = false;
  await fixture.clock.elapse(115_000);
  expect(fixture.runtime.running).toHaveLength(1);
  isBusy = true;
  await fixture.clock.elapse(20_000);
  expect([fixture.runtime.running.length, reasons(fixture)]).toEqual([1, ['done']]);
});

// Fails when `until` isn't read, or one in the past counts as busy.
test('`until` says when to retry, if that is sooner; in the past it ends the work', async () => {
  let untilMs = 2_500;
  const { fixture, asked } = createAskedFixture((one) => body({ busy: true, until: inMs(one, untilMs) }));
  await serveOne(fixture);
  await fixture.clock.elapse(30_000);
  const pauses = asked.slice(1).map((atMs, index) => atMs - asked[index]!);
  expect(new Set(pauses)).toEqual(new Set([4_000]));
  untilMs = 3_600_000;
  await fixture.clock.elapse(30_000);
  expect(asked.at(-1)! - asked.at(-2)!).toBe(6_000);
  untilMs = -1;
  await fixture.clock.elapse(8_000);
  expect(reasons(fixture)).toEqual(['done']);
});

// Fails when the limit counts from the first question, or not at all.
test('it is kept for an hour after its last request at most', async () => {
  const { fixture } = createAskedFixture(() => body({ busy: true, until: 'some day' }));
  await serveOne(fixture);
  await fixture.clock.elapse(1_800_000);
  await serveOne(fixture);
  expect(reasons(fixture)).toEqual(['request']);
  await fixture.clock.elapse(3_590_000);
  expect(reasons(fixture)).toEqual(['request']);
  await fixture.clock.elapse(16_000);
  expect(reasons(fixture)).toEqual(['request', 'limit']);
  await fixture.clock.elapse(12_000);
  expect(fixture.runtime.instances[0]?.isSuspended).toBe(true);
});

// Fails when one time-out ends the work, or when a service that never answers is kept for good.
test('one that gives no answer in time is kept for a minute, and billed only if it was busy before', async () => {
  let answer: HttpAnswer = { problem: 'did not respond within 1 s', isTimeout: true };
  const { fixture } = createAskedFixture(() => answer);
  await serveOne(fixture);
  await fixture.clock.elapse(60_000);
  expect(fixture.runtime.instances[0]?.isSuspended).toBe(false);
  await fixture.clock.elapse(20_000);
  expect(fixture.runtime.instances[0]?.isSuspended).toBe(true);
  expect(billedMs(fixture)).toBeLessThan(2_000);

  answer = body({ busy: true });
  await serveOne(fixture);
  await fixture.clock.elapse(20_000);
  answer = { problem: 'did not respond within 1 s', isTimeout: true };
  await fixture.clock.elapse(50_000);
  expect(reasons(fixture)).toEqual([]);
  answer = body({ busy: true });
  await fixture.clock.elapse(50_000);
  answer = { problem: 'did not respond within 1 s', isTimeout: true };
  await fixture.clock.elapse(80_000);
  expect(reasons(fixture)).toEqual(['no_answer']);
});

// Fails when the busy time isn't billable, or stays so after it.
test('it is billed from the first answer to the last', async () => {
  const { fixture, asked } = createAskedFixture(() => body({ busy: asked.length < 20 }));
  await serveOne(fixture);
  await fixture.clock.elapse(400_000);
  const [ended] = busyEnds(fixture);
  expect(ended?.busyMs).toBe(asked[19]! - asked[0]!);
  expect(billedMs(fixture)).toBe(1_000 + (ended?.busyMs ?? 0));
});

// Fails when an answer counts although a request came after the question.
test('a request ends the question: its answer does not count', async () => {
  const answered = Promise.withResolvers<HttpAnswer>();
  const fixture = createTargetFixture({}, { canSuspend: true, policy: POLICY });
  fixture.plan = { answer: ({ path }) => (path === BUSY_PATH ? answered.promise : { status: 200 }) };
  await serveOne(fixture);
  await fixture.clock.elapse(12_500);
  const ticket = fixture.request()!;
  answered.resolve(body({ busy: true }));
  await fixture.clock.elapse(2_000);
  fixture.finish(ticket);
  await fixture.clock.elapse(500);
  expect([kinds(fixture).includes('busy'), fixture.table.snapshot('hello')?.busy]).toEqual([false, 0]);
});

// Fails when the operator's 0 still sends questions.
test('with a limit of 0 nobody is asked', async () => {
  const { fixture, asked } = createAskedFixture(() => body({ busy: true }), { policy: { busyMaxMs: 0 } });
  await serveOne(fixture);
  await fixture.clock.elapse(12_000);
  expect([fixture.runtime.instances[0]?.isSuspended, asked]).toEqual([true, []]);
});

// Fails when reclaimable() yields idle instances that were not asked, or host.reserve doesn't have them asked.
test('another service gets the room of one without work, which is asked for it, and never that of a busy one', async () => {
  const { fixture, asked } = createAskedFixture(() => ({ status: 404 }), { memoryBytes: 200 });
  for (const deployment of ['other', 'third', 'fourth']) fixture.table.register(testTarget({ deployment }));
  await serveOne(fixture);
  await serveOne(fixture, 'other');
  fixture.working.add(fixture.runtime.instances[0]!);
  await fixture.clock.elapse(2_000);
  expect(asked).toEqual([]);
  const third = fixture.request('third');
  await fixture.clock.elapse(100);
  expect([third?.instance === null, asked.length]).toEqual([false, 1]);
  expect(fixture.runtime.instances.map(({ stops }) => stops)).toEqual([0, 1, 0]);
  expect(kinds(fixture)).not.toContain('start_failed');
  const fourth = fixture.request('fourth');
  await fixture.clock.elapse(11_000);
  expect(fourth?.refusal).toMatchObject({ status: 503, reason: 'out_of_capacity' });
});

// Fails when drain() stops a replaced instance at once, or when its work is asked for once only.
test('a replaced instance finishes its work, also after the time of its requests is over', async () => {
  const fixture = createTargetFixture({ timeoutMs: 5_000 }, { policy: POLICY });
  const ticket = fixture.request()!;
  await fixture.clock.elapse(1_000);
  const [instance] = fixture.runtime.instances;
  fixture.working.add(instance!);
  await deploySecond(fixture, { timeoutMs: 5_000 });
  await fixture.clock.elapse(6_000);
  expect(fixture.active.has(ticket)).toBe(false);
  await fixture.clock.elapse(300_000);
  expect([instance?.stops, [...fixture.table.loads()][0]?.busy]).toEqual([0, 1]);
  fixture.working.clear();
  await fixture.clock.elapse(8_000);
  expect(instance?.stops).toBe(1);
  expect(billedMs(fixture)).toBeGreaterThan(300_000);
  expect(fixture.earlySignals).toEqual([]);
});

// Fails when a replaced instance is told only once its requests have ended, or one that serves is told, too.
test('an instance is told that it is replaced, at once and with each question', async () => {
  // Holds the gateway to the contract: verifies('busy.replaced')
  const told: boolean[] = [];
  const fixture = createTargetFixture({}, { canSuspend: true, policy: POLICY });
  fixture.plan = {
    answer({ path, headers }) {
      if (path === BUSY_PATH) told.push(headers?.includes(REPLACED_HEADER) === true);
      return body({ busy: true });
    },
  };
  await serveOne(fixture);
  await fixture.clock.elapse(POLICY.suspendAfterMs + 2_000);
  expect(new Set(told)).toEqual(new Set([false]));
  const ticket = fixture.request()!;
  await fixture.clock.elapse(1_000);
  told.length = 0;
  await deploySecond(fixture);
  expect(told).toEqual([true]);
  fixture.finish(ticket);
  // Less than the time after which the new instance is asked whether it may be suspended.
  await fixture.clock.elapse(8_000);
  expect(told.length).toBeGreaterThan(2);
  expect(new Set(told)).toEqual(new Set([true]));
});

// Fails when deleting, closing or a canceled deploy waits for work.
test.each([
  ['deleting', (fixture: ServiceFixture) => fixture.table.remove('hello')],
  ['closing', (fixture: ServiceFixture) => fixture.table.close({ drainMs: 1_000 })],
])('%s stops what is busy, of the current revision and of the one before', async (_what, act) => {
  const fixture = createTargetFixture({}, { canSuspend: true, policy: POLICY });
  await serveOne(fixture);
  fixture.working.add(fixture.runtime.instances[0]!);
  await deploySecond(fixture);
  await serveOne(fixture);
  fixture.working.add(fixture.runtime.instances[1]!);
  await fixture.clock.elapse(20_000);
  expect(fixture.runtime.running).toHaveLength(2);
  await Promise.all([act(fixture), fixture.clock.elapse(1_000)]);
  expect(fixture.runtime.running).toEqual([]);
  expect(reasons(fixture)).toEqual(['ended', 'ended']);
});

// Fails when an instance that never had the route is asked: it may work on what the current revision should do.
test('a deploy that is canceled does not wait for the work of its instances', async () => {
  const fixture = createTargetFixture({}, { policy: POLICY });
  let starts = 0;
  fixture.plan = {
    get listenAfterMs() {
      return starts++ === 0 ? 0 : 60_000;
    },
    answer: () => body({ busy: true }),
  };
  const cancel = new AbortController();
  const deploy = fixture.table.activate(testTarget({ revision: 'rev-2', minInstances: 2 }), { signal: cancel.signal });
  deploy.catch(() => {});
  await fixture.clock.elapse(20_000);
  expect(kinds(fixture).filter((kind) => kind === 'ready')).toHaveLength(1);
  cancel.abort();
  await fixture.clock.elapse(100);
  await expect(deploy).rejects.toMatchObject({ code: 'cancelled' });
  expect(fixture.runtime.running).toEqual([]);
});
