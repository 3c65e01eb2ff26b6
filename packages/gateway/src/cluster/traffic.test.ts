import { waitUntil } from '@berth/testkit';
import { expect, test } from 'vitest';
import { sideRoute } from '../port/gateway.ts';
import { createGatewaysFixture } from '../testing/gateways-fixture.ts';
import { testTarget } from '../testing/test-target.ts';

const SIDE = sideRoute('hello', 'rev-2');
const side = testTarget({ revision: 'rev-2', route: SIDE, maxInstances: 1 });
const rule = (percent: number) => ({
  deployment: 'hello',
  split: [
    { route: 'hello', revision: 'rev-1', percent: 100 - percent },
    { route: SIDE, revision: 'rev-2', percent },
  ],
  tags: { 'beta---hello': SIDE },
});

// Fails when a route beside the current one is in another partition, or is left behind when its gateway is killed.
test('several gateways serve a split and a tag with the instances of one, and go on when it is killed', async () => {
  await using fixture = createGatewaysFixture((_request, response) => void response.end('hello'));
  const gateways = [await fixture.start('a'), await fixture.start('b'), await fixture.start('c')] as const;
  for (const { gateway } of gateways) {
    gateway.register(testTarget({ maxInstances: 1 }));
    gateway.register(side);
    gateway.setTraffic([rule(50)]);
  }
  fixture.assign(0, gateways[0]);
  const [, b, c] = gateways;
  for (const one of gateways) {
    const all = await Promise.all(Array.from({ length: 40 }, () => one.fetch('hello')));
    expect(all.every(({ status }) => status === 200)).toBe(true);
    expect(new Set(one.requests.map(({ revision }) => revision))).toEqual(new Set(['rev-1', 'rev-2']));
  }
  expect(fixture.instances.map(({ spec }) => spec.revision).sort()).toEqual(['rev-1', 'rev-2']);
  await fixture.kill(gateways[0]);
  fixture.assign(0, c);
  expect((await b.fetch('beta---hello')).status).toBe(200);
  expect((await b.fetch('hello')).status).toBe(200);
  expect(b.requests.at(-2)).toMatchObject({ revision: 'rev-2', deployment: 'hello' });
  expect(fixture.instances).toHaveLength(2);
});

// Fails when requests of other gateways that wait for the route are refused with it.
test('requests that wait at any gateway for a removed route are served by the current revision', async () => {
  await using fixture = createGatewaysFixture((_request, response) => void response.end('hello'));
  const gateways = [await fixture.start('a'), await fixture.start('b')] as const;
  const [a, b] = gateways;
  for (const { gateway } of gateways) {
    gateway.register(testTarget());
    // Too large for the machine, so its requests wait.
    gateway.register({ ...side, memoryBytes: 1_000_000 });
    gateway.setTraffic([rule(0)]);
  }
  fixture.assign(0, a);
  expect((await b.fetch('hello')).status).toBe(200);
  const waiting = [b.fetch('beta---hello'), a.fetch('beta---hello')];
  await waitUntil('both wait', () => a.gateway.snapshot(SIDE)?.queued === 2);
  for (const { gateway } of gateways) {
    gateway.setTraffic([]);
    await gateway.remove(SIDE, { isLazy: true });
  }
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200]);
  expect([a, b].map(({ requests }) => requests.at(-1)?.revision)).toEqual(['rev-1', 'rev-1']);
  expect((await b.fetch('beta---hello')).status).toBe(404);
});
