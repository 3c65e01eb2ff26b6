import { describe, expect, test } from 'vitest';
import { type ClusterTicket, createClusterFixture } from '../testing/cluster-fixture.ts';

const isServed = ({ instance }: ClusterTicket) => instance !== null;
const isWaiting = ({ outcomes }: ClusterTicket) => outcomes === 0;

/** Two gateways, the first of which counts `hello`: one instance of two slots. */
async function createPair(options: Parameters<typeof createClusterFixture>[0] = {}) {
  const fixture = createClusterFixture({ targets: [{ concurrency: 2, maxInstances: 1 }], ...options });
  const [a, b] = [fixture.start('a'), fixture.start('b')] as const;
  await fixture.clock.elapse(10);
  const taken = fixture.take(a, [0]);
  await fixture.clock.elapse(10);
  await taken;
  const take = async (gateway: typeof a) => {
    const done = fixture.take(gateway, [0]);
    await fixture.clock.elapse(10);
    await done;
    await fixture.clock.elapse(100);
  };
  return { fixture, a, b, take };
}

test('requests that arrive at any gateway are counted by one', async () => {
  const { fixture, a, b } = await createPair();
  const all = [a, b, b, a].map((gateway) => gateway.request()!);
  await fixture.clock.elapse(200);
  expect(all.filter(isServed)).toHaveLength(2);
  expect(fixture.pods).toHaveLength(1);
  for (const gateway of [a, b]) for (const ticket of [...gateway.active]) gateway.finish(ticket);
  await fixture.clock.elapse(50);
  expect(all.every(isServed)).toBe(true);
});

test('a request for a service that no gateway counts yet waits for one', async () => {
  const fixture = createClusterFixture();
  const a = fixture.start('a');
  await fixture.clock.elapse(10);
  const ticket = a.request()!;
  await fixture.clock.elapse(500);
  expect([isWaiting(ticket), a.routes.stranded]).toEqual([true, 1]);
  const taken = fixture.take(a, [0]);
  await fixture.clock.elapse(200);
  await taken;
  expect([isServed(ticket), a.routes.stranded]).toEqual([true, 0]);
});

describe('when the gateway that counts is killed', () => {
  // Fails when requests are refused while the lease of the killed gateway still runs.
  test('requests of others wait as long as a takeover may last', async () => {
    const { fixture, a, b, take } = await createPair({ policy: { takeOverWaitMs: 25_000 } });
    a.request();
    await fixture.clock.elapse(200);
    fixture.kill(a);
    const waiting = b.request()!;
    await fixture.clock.elapse(20_000);
    expect(waiting.refusal).toBeFalsy();
    await take(b);
    await fixture.clock.elapse(2_000);
    expect(isServed(waiting)).toBe(true);
  });

  // Fails when the next one begins to count at zero: the instance gets more requests than its concurrency.
  test('requests of others go on and are counted by the next, which has the same instance', async () => {
    const { fixture, a, b, take } = await createPair();
    const [own, first, second] = [a.request()!, b.request()!, b.request()!];
    await fixture.clock.elapse(200);
    expect([own, first, second].map(isServed)).toEqual([true, true, false]);
    fixture.kill(a);
    await fixture.clock.elapse(2_000);
    const third = b.request()!;
    expect([isWaiting(second), isWaiting(third), b.routes.stranded]).toEqual([true, true, 2]);
    await take(b);
    // The instance has two slots: one is still in use, the other one was of the killed gateway.
    expect([first, second, third].map(isServed)).toEqual([true, true, false]);
    expect(fixture.pods.map(({ hasExited }) => hasExited)).toEqual([false]);
    b.finish(first);
    await fixture.clock.elapse(50);
    expect(isServed(third)).toBe(true);
  });

  test('a request that ends while no one counts is not counted by the next', async () => {
    const { fixture, a, b, take } = await createPair();
    const served = [b.request()!, b.request()!];
    await fixture.clock.elapse(200);
    fixture.kill(a);
    await fixture.clock.elapse(500);
    for (const ticket of served) b.finish(ticket);
    await take(b);
    const next = [b.request()!, b.request()!];
    await fixture.clock.elapse(50);
    expect(next.every(isServed)).toBe(true);
  });

  test('a request that waits is refused at its deadline, not before', async () => {
    const { fixture, a, b } = await createPair({ targets: [{ concurrency: 2, timeoutMs: 3_000 }] });
    fixture.kill(a);
    await fixture.clock.elapse(100);
    const ticket = b.request()!;
    await fixture.clock.elapse(2_900);
    expect(isWaiting(ticket)).toBe(true);
    await fixture.clock.elapse(200);
    expect(ticket.refusal?.status).toBe(504);
  });
});

// Fails when the instance is stopped: it serves requests of other gateways.
test('a service that is given on before its instance was adopted keeps it', async () => {
  const { fixture, a, b, take } = await createPair();
  const served = b.request()!;
  await fixture.clock.elapse(200);
  fixture.kill(a);
  const c = fixture.start('c');
  await fixture.clock.elapse(10);
  const taken = fixture.take(c, [0]);
  for (let waits = 0; waits < 10 && !fixture.pods[0]?.isHeld; waits++) await fixture.clock.elapse(1);
  const left = fixture.leave(c, [0]);
  await fixture.clock.elapse(20);
  await Promise.all([taken, left]);
  await take(b);
  expect(fixture.pods.map(({ hasExited }) => hasExited)).toEqual([false]);
  const others = [b.request()!, c.request()!];
  await fixture.clock.elapse(50);
  expect(others.filter(isServed)).toHaveLength(1);
  expect(isServed(served)).toBe(true);
});

test('a service that is given to another gateway loses no request and keeps its instance', async () => {
  const { fixture, a, b, take } = await createPair();
  const all = [a.request()!, b.request()!, a.request()!, b.request()!];
  await fixture.clock.elapse(200);
  const left = fixture.leave(a, [0]);
  await fixture.clock.elapse(20);
  await left;
  all.push(a.request()!);
  await take(b);
  for (const served of [2, 4, 5]) {
    expect(all.filter(isServed)).toHaveLength(served);
    expect(fixture.inFlightOf(fixture.pods[0]!)).toBeLessThanOrEqual(2);
    for (const gateway of [a, b]) for (const ticket of [...gateway.active]) gateway.finish(ticket);
    await fixture.clock.elapse(50);
  }
  expect(all.every(({ refusal }) => refusal === null)).toBe(true);
  expect(fixture.pods).toHaveLength(1);
});
