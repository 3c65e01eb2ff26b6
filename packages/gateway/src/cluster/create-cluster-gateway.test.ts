import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '@berth/testkit';
import { describe, expect, it } from 'vitest';
import { createGatewaysFixture } from '../testing/gateways-fixture.ts';
import { testTarget } from '../testing/test-target.ts';

/** A program that counts the requests it serves at once, and answers those to `/slow` when told to. */
function createProgram() {
  const program = {
    inFlight: 0,
    most: 0,
    served: 0,
    slow: Promise.withResolvers<void>(),
    listener: async (request: IncomingMessage, response: ServerResponse) => {
      program.most = Math.max(program.most, ++program.inFlight);
      if (request.url?.endsWith('/slow')) await program.slow.promise;
      else await sleep(5);
      program.inFlight--;
      program.served++;
      response.end('hello');
    },
  };
  return program;
}

const start = async (...given: Parameters<typeof createGatewaysFixture>) => {
  const fixture = createGatewaysFixture(...given);
  const gateways = [await fixture.start('a'), await fixture.start('b'), await fixture.start('c')] as const;
  return { fixture, gateways };
};

describe('several gateways', () => {
  // Fails when a gateway starts instances of a service that another counts, or when each counts for itself.
  it('serve a service at each of them with one instance, and one request at a time where it takes one', async () => {
    const program = createProgram();
    const { fixture, gateways } = await start(program.listener);
    await using _ = fixture;
    for (const { gateway } of gateways) gateway.register(testTarget({ concurrency: 1, maxInstances: 1 }));
    fixture.assign(0, gateways[0]);
    const all = await Promise.all(
      Array.from({ length: 9 }, (_, index) => gateways[index % 3]?.fetch('hello').then((response) => response.status)),
    );
    expect(all).toEqual(Array(9).fill(200));
    expect(fixture.instances).toHaveLength(1);
    expect(program.most).toBe(1);
    expect(gateways.map(({ requests }) => requests.length)).toEqual([3, 3, 3]);
    expect(gateways.map(({ events }) => events.length > 0)).toEqual([true, false, false]);
  });

  it('let requests wait for an owner', async () => {
    const program = createProgram();
    const { fixture, gateways } = await start(program.listener);
    await using _ = fixture;
    for (const { gateway } of gateways) gateway.register(testTarget());
    const answer = gateways[1].fetch('hello');
    await sleep(50);
    expect(program.served).toBe(0);
    fixture.assign(0, gateways[2]);
    expect((await answer).status).toBe(200);
  });

  // Fails when a new owner starts the service again, or doesn't count what others have in flight there.
  it('go on when the owner is killed: in flight, waiting and new, on the same instance', async () => {
    const program = createProgram();
    const { fixture, gateways } = await start(program.listener);
    await using _ = fixture;
    for (const { gateway } of gateways) gateway.register(testTarget({ concurrency: 2, maxInstances: 1 }));
    fixture.assign(0, gateways[0]);
    await (await gateways[1].fetch('hello')).text();
    const slow = [gateways[1].fetch('hello', '/slow'), gateways[2].fetch('hello', '/slow')];
    await waitUntil('both are in flight', () => program.inFlight === 2);
    const waiting = gateways[1].fetch('hello');
    await fixture.kill(gateways[0]);
    fixture.assign(0, gateways[2]);
    await waitUntil('it is adopted', () => gateways[2].gateway.snapshot('hello')?.inFlight === 2);
    const late = gateways[2].fetch('hello');
    await sleep(50);
    expect(program.inFlight).toBe(2);
    program.slow.resolve();
    const answers = await Promise.all([...slow, waiting, late]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(program.most).toBe(2);
    expect(fixture.instances).toHaveLength(1);
  });

  it('lose no request while services move from one to another', async () => {
    const program = createProgram();
    const { fixture, gateways } = await start(program.listener);
    await using _ = fixture;
    for (const { gateway } of gateways) gateway.register(testTarget({ concurrency: 3, maxInstances: 1 }));
    fixture.assign(0, gateways[0]);
    let isOver = false;
    const statuses: number[] = [];
    const clients = gateways
      .flatMap((one) => [one, one])
      .map(async (one) => {
        while (!isOver) statuses.push((await one.fetch('hello')).status);
      });
    const served = (count: number) => waitUntil('requests are served', () => statuses.length >= count);
    for (const to of [1, 2, 0, 2, 1]) {
      await served(statuses.length + 10);
      await fixture.move(0, gateways[to] as (typeof gateways)[0]);
    }
    await served(statuses.length + 10);
    isOver = true;
    await Promise.all(clients);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    expect(program.most).toBeLessThanOrEqual(3);
    expect(fixture.instances).toHaveLength(1);
  });

  // Fails when the owner goes on with a revision that only the killed gateway knew of.
  it('return to the recorded revision when an activation was never recorded', async () => {
    const program = createProgram();
    const { fixture, gateways } = await start(program.listener, { uncommittedMs: 50 });
    await using _ = fixture;
    const [a, b] = gateways;
    for (const { gateway } of gateways) gateway.register(testTarget());
    fixture.assign(0, a);
    const { signal } = new AbortController();
    await b.gateway.activate(testTarget({ revision: 'rev-2' }), { signal });
    await fixture.kill(b);
    expect(a.gateway.snapshot('hello')?.revision).toBe('rev-1');
    await waitUntil('it is told', () => a.gateway.snapshot('hello')?.revision === 'rev-2');
    await a.gateway.activate(testTarget(), { signal, isLazy: true });
    await waitUntil('the old one serves', () => fixture.instances.every(({ spec }) => spec.revision === 'rev-1'));
    expect((await a.fetch('hello')).status).toBe(200);
    expect(a.gateway.snapshot('hello')?.revision).toBe('rev-1');
  });

  it('carry out deploys and deletions at the owner, whichever is asked', async () => {
    const program = createProgram();
    const { fixture, gateways } = await start(program.listener);
    await using _ = fixture;
    const [a, b, c] = gateways;
    fixture.assign(0, a);
    const said: string[] = [];
    const { signal } = new AbortController();
    const first = testTarget();
    await b.gateway.activate(first, { signal, onProgress: (message) => said.push(message) });
    expect(said.length).toBeGreaterThan(0);
    for (const { gateway } of [a, c]) await gateway.activate(first, { signal, isLazy: true });
    expect((await c.fetch('hello')).status).toBe(200);
    expect(fixture.instances).toHaveLength(1);
    expect(a.events.length).toBeGreaterThan(0);

    // The others follow the route from the database; the owner must not go back before they do.
    await c.gateway.activate(testTarget({ revision: 'rev-2' }), { signal });
    expect(a.gateway.snapshot('hello')?.revision).toBe('rev-1');
    expect(c.gateway.snapshot('hello')).toMatchObject({ revision: 'rev-2', instances: 1 });
    for (const { gateway } of [a, b])
      await gateway.activate(testTarget({ revision: 'rev-2' }), { signal, isLazy: true });
    await waitUntil('the old one is stopped', () => fixture.instances.length === 1);
    expect(fixture.instances[0]?.spec.revision).toBe('rev-2');

    await b.gateway.remove('hello');
    expect(fixture.instances).toHaveLength(0);
    expect((await b.fetch('hello')).status).toBe(404);
    for (const { gateway } of [a, c]) await gateway.remove('hello', { isLazy: true });
    expect((await c.fetch('hello')).status).toBe(404);
  });
});
