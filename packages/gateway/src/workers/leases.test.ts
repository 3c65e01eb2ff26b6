import { expect, test } from 'vitest';
import { createWorkerFixture, type TestWorker, type WorkerTicket } from '../testing/worker-fixture.ts';

/** A fixture with two workers, one instance with ten slots, and a delay of 1 ms for each message. */
async function createPair(options: Parameters<typeof createWorkerFixture>[0] = {}) {
  const fixture = createWorkerFixture({ ...options, target: { concurrency: 10, maxInstances: 1, ...options.target } });
  const [a, b] = [fixture.startWorker(), fixture.startWorker()] as const;
  await fixture.clock.elapse(10);
  return { fixture, a, b, core: () => fixture.table.find('hello')!.current! };
}

const requests = (worker: TestWorker, count: number) => Array.from({ length: count }, () => worker.request()!);
const finishAll = (worker: TestWorker) => {
  for (const ticket of [...worker.active]) worker.finish(ticket);
};
const isServed = (ticket: WorkerTicket) => ticket.instance !== null;

test('steady traffic asks nobody: a slot that came free serves the next request of its worker', async () => {
  const { fixture, a, core } = await createPair();
  requests(a, 8);
  await fixture.clock.elapse(100);
  expect(a.active.size).toBe(8);
  const before = { ...a.messages };
  for (let i = 0; i < 1_000; i++) {
    finishAll(a);
    expect(requests(a, 8).every(isServed)).toBe(true);
    await fixture.clock.elapse(4);
  }
  expect(a.messages).toEqual(before);
  expect(core().inFlight).toBe(8);
});

test('a slot that nobody needs goes back after the park time, and what was not used of it is not billed', async () => {
  const { fixture, a, core } = await createPair({ policy: { slotParkMs: 50 } });
  requests(a, 1);
  await fixture.clock.elapse(100);
  const instance = [...core().fleet.ready][0]!;
  const endedAtMs = fixture.clock.monotonicMs();
  finishAll(a);
  await fixture.clock.elapse(30);
  expect(core().inFlight).toBe(1);
  await fixture.clock.elapse(40);
  expect(core().inFlight).toBe(0);
  expect(instance.idleSinceMs).toBeCloseTo(endedAtMs, -1);
});

test('of several parked slots those that are not needed go back, and the ones that are stay', async () => {
  const { fixture, a, core } = await createPair();
  requests(a, 8);
  await fixture.clock.elapse(100);
  finishAll(a);
  for (let i = 0; i < 30; i++) {
    requests(a, 2);
    await fixture.clock.elapse(4);
    finishAll(a);
  }
  expect(core().inFlight).toBe(2);
});

test('parked slots go back at once when a request waits elsewhere, and what waits has its turn in order', async () => {
  const { fixture, a, b, core } = await createPair();
  requests(a, 10);
  await fixture.clock.elapse(100);
  const served = [...a.active];
  finishAll(a);
  const first = requests(b, 12);
  await fixture.clock.elapse(4);
  expect(first.filter(isServed)).toHaveLength(10);
  expect(core().queued).toBe(2);
  // The requests of `a` came later, so they do not get the slots that come free at `a`.
  const later = requests(a, 1);
  await fixture.clock.elapse(2);
  expect(served).toHaveLength(10);
  b.finish(first[0]!);
  b.finish(first[1]!);
  await fixture.clock.elapse(4);
  expect(first.every(isServed)).toBe(true);
  expect(later.some(isServed)).toBe(false);
  b.finish(first[2]!);
  await fixture.clock.elapse(4);
  expect(later.every(isServed)).toBe(true);
  // No request waits any more, so slots may be parked again.
  b.finish(first[3]!);
  await fixture.clock.elapse(4);
  const { fromWorker } = b.messages;
  expect(requests(b, 1).every(isServed)).toBe(true);
  expect(b.messages.fromWorker).toBe(fromWorker);
});

test('of an instance with few slots none is kept', async () => {
  const { fixture, a, core } = await createPair({ target: { concurrency: 2 } });
  requests(a, 1);
  await fixture.clock.elapse(100);
  finishAll(a);
  await fixture.clock.elapse(3);
  expect(core().inFlight).toBe(0);
});

test('an instance that drains gets its parked slots back at once', async () => {
  const { fixture, a, core } = await createPair();
  requests(a, 3);
  await fixture.clock.elapse(100);
  finishAll(a);
  const [instance] = core().fleet.ready;
  expect(instance?.inFlight).toBe(3);
  fixture.setListening(fixture.runtime.running[0]!, false);
  core().onConnectFailed(instance!);
  await fixture.clock.elapse(3);
  expect(instance?.inFlight).toBe(0);
});

test('of a replaced revision nothing is kept', async () => {
  const { fixture, a, core } = await createPair();
  const [first] = requests(a, 3);
  await fixture.clock.elapse(100);
  const old = core();
  a.finish(first!);
  const activated = fixture.table.activate(
    { ...old.target, revision: 'rev-2' },
    { signal: new AbortController().signal },
  );
  await fixture.clock.elapse(100);
  await activated;
  expect(old.inFlight).toBe(2);
  finishAll(a);
  await fixture.clock.elapse(3);
  expect(old.inFlight).toBe(0);
  const next = a.request()!;
  await fixture.clock.elapse(3);
  expect(next.pool?.target.revision).toBe('rev-2');
});

test('an affinity finds its instance through the core, and through a parked slot of it', async () => {
  const { fixture, a, core } = await createPair({
    target: { concurrency: 10, maxInstances: 2, sessionAffinity: true },
  });
  requests(a, 12);
  await fixture.clock.elapse(2_500);
  const [oldest, newest] = core().fleet.ready;
  expect(newest).toBeDefined();
  finishAll(a);
  await fixture.clock.elapse(200);
  const tied = a.request('hello', { affinityKey: newest!.affinityKey })!;
  await fixture.clock.elapse(4);
  expect(tied.instance?.id).toBe(newest!.id);
  a.finish(tied);
  const { fromWorker } = a.messages;
  expect(a.request('hello', { affinityKey: newest!.affinityKey })?.instance?.id).toBe(newest!.id);
  const other = a.request('hello', { affinityKey: oldest!.affinityKey })!;
  await fixture.clock.elapse(4);
  expect(other.instance?.id).toBe(oldest!.id);
  expect(a.messages.fromWorker).toBe(fromWorker + 1);
});

test('what a request waited for is known across clocks that have nothing in common', async () => {
  const fixture = createWorkerFixture({ target: { concurrency: 10 }, delayMs: () => 3 });
  fixture.plan = { listenAfterMs: 120 };
  const worker = fixture.startWorker();
  await fixture.clock.elapse(10);
  const ticket = worker.request()!;
  await fixture.clock.elapse(400);
  const { instance, arrivedAtMs, queuedAtMs } = ticket;
  const since = (atMs: number | null) => (atMs ?? Number.NaN) - arrivedAtMs;
  expect(since(queuedAtMs)).toBeGreaterThanOrEqual(3);
  expect(since(queuedAtMs)).toBeLessThan(10);
  expect(since(instance!.readyAtMs) - since(instance!.spawnedAtMs)).toBeGreaterThanOrEqual(115);
  expect(since(instance!.readyAtMs)).toBeLessThan(200);
  const warm = worker.request()!;
  await fixture.clock.elapse(10);
  expect(warm.instance).toBe(instance);
  expect(warm.queuedAtMs).toBeNull();
});

test('a worker that hangs is given up, and its slots serve others', async () => {
  const { fixture, a, b, core } = await createPair();
  requests(a, 10);
  await fixture.clock.elapse(100);
  a.hang();
  const waiting = requests(b, 3);
  await fixture.clock.elapse(9_000);
  expect(waiting.every(({ instance }) => instance === null)).toBe(true);
  await fixture.clock.elapse(3_000);
  expect(waiting.every(({ outcomes }) => outcomes === 1)).toBe(true);
  expect(core().inFlight).toBeLessThanOrEqual(3);
});

test('workers of a gateway that closes refuse requests for the time being, and do not deny the deployment', async () => {
  const { fixture, a } = await createPair();
  const [waiting] = requests(a, 11).slice(10);
  await fixture.clock.elapse(100);
  void fixture.table.close({ drainMs: 1_000 });
  await fixture.clock.elapse(4);
  expect(waiting?.refusal).toMatchObject({ status: 503, reason: 'shutting_down' });
  expect(a.client.find('hello')).toBeUndefined();
  expect(a.client.isClosing).toBe(true);
});

test('a worker closes when what it serves has ended, or at the end of its time', async () => {
  const { fixture, a, b, core } = await createPair();
  const [ticket] = requests(a, 2);
  requests(b, 1);
  await fixture.clock.elapse(100);
  let isClosed = false;
  void a.client
    .close(10_000, () => {})
    .then(() => {
      isClosed = true;
    });
  expect(a.client.find('hello')).toBeUndefined();
  a.finish(ticket!);
  await fixture.clock.elapse(100);
  expect(isClosed).toBe(false);
  finishAll(a);
  await fixture.clock.elapse(5);
  expect(isClosed).toBe(true);
  expect(core().inFlight).toBe(1);
  void b.client.close(10_000, () => {});
  await fixture.clock.elapse(10_100);
  expect(core().inFlight).toBe(0);
});

test('a process that begins late is waited for, and one that does not begin is given up', async () => {
  const fixture = createWorkerFixture({ target: { concurrency: 10 } });
  const stuck = fixture.startWorker();
  stuck.hang();
  const { target } = fixture.table.find('hello')!.current!;
  let isDone = false;
  void fixture.table.activate({ ...target, revision: 'rev-2' }, { signal: new AbortController().signal }).then(() => {
    isDone = true;
  });
  await fixture.clock.elapse(50_000);
  expect(isDone).toBe(false);
  expect(stuck.isAlive).toBe(true);
  await fixture.clock.elapse(11_000);
  expect(isDone).toBe(true);
  expect(stuck.isAlive).toBe(false);
});
