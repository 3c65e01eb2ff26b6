import { waitUntil } from '@berth/testkit';
import { expect, test } from 'vitest';
import { sideRoute } from '../port/gateway.ts';
import { testTarget } from '../testing/test-target.ts';
import { createWireFixture, httpProgram, type WireFixture } from '../testing/wire-fixture.ts';

const SIDE = sideRoute('hello', 'rev-2');
const side = testTarget({ revision: 'rev-2', route: SIDE });

/** Serves the revision's name and the cookies that it was sent. */
const program = (revision: string) =>
  httpProgram((request, response) => {
    response.setHeader('Set-Cookie', ['berth_revision=forged', 'own=1']);
    response.end(`${revision} ${request.headers.cookie ?? ''}`);
  });

function split(percent: number) {
  const shares = [
    { route: 'hello', revision: 'rev-1', percent: 100 - percent },
    { route: SIDE, revision: 'rev-2', percent },
  ];
  return { deployment: 'hello', split: shares, tags: { 'beta---hello': SIDE } };
}

async function get(fixture: WireFixture, host: string, cookie?: string) {
  const head = `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${cookie ? `Cookie: ${cookie}\r\n` : ''}\r\n`;
  const answer = await fixture.exchange(head);
  const [, sticky] = /Set-Cookie: (berth_revision=[^;]+)/.exec(answer) ?? [];
  return { status: Number(answer.slice(9, 12)), body: answer.split('\r\n\r\n')[1] ?? '', sticky, answer };
}

test('splits requests by weight, and keeps a browser where it was', async () => {
  await using fixture = await createWireFixture({ program });
  fixture.gateway.register(side);
  await waitUntil('the route is known', async () => {
    fixture.gateway.setTraffic([split(100)]);
    return (await get(fixture, 'hello.test')).body.includes('rev-2');
  });
  const kept = (await get(fixture, 'hello.test')).sticky ?? '';
  expect((await get(fixture, 'hello.test')).answer).toMatch(
    /berth_revision=[\w-]{43}; Path=\/; .*HttpOnly; SameSite=Lax\r/,
  );
  fixture.gateway.setTraffic([split(1)]);
  const again = await get(fixture, 'hello.test', `a=1; ${kept}; b=2`);
  // The service sees its own cookies alone, and can't set the gateway's.
  expect(again.body).toContain('rev-2 a=1; b=2');
  expect(again.answer).not.toContain('forged');
  expect(again.sticky).toBeUndefined();
  fixture.gateway.setTraffic([split(50)]);
  const bodies = await Promise.all(Array.from({ length: 60 }, () => get(fixture, 'hello.test')));
  expect(
    new Set(
      bodies.map(({ body }) =>
        body
          .split(' ')[0]
          ?.replace(/^\d+\r\n/, '')
          .trim(),
      ),
    ).size,
  ).toBe(2);
  const records = fixture.requests.slice(-60);
  expect(new Set(records.map(({ deployment, revision }) => `${deployment} ${revision}`))).toEqual(
    new Set(['hello rev-1', 'hello rev-2']),
  );
  // Without a split, the cookie counts for nothing and none is set.
  fixture.gateway.setTraffic([]);
  const plain = await get(fixture, 'hello.test', kept);
  expect([plain.body.includes('rev-1'), plain.sticky]).toEqual([true, undefined]);
});

test('a tag has a host of its own; the names of routes have none', async () => {
  await using fixture = await createWireFixture({ program });
  fixture.gateway.register(side);
  fixture.gateway.setTraffic([{ deployment: 'hello', split: [], tags: { 'beta---hello': SIDE } }]);
  await waitUntil('the tag serves', async () => (await get(fixture, 'beta---hello.test')).body.includes('rev-2'));
  expect((await get(fixture, 'hello.test')).body).toContain('rev-1');
  expect((await get(fixture, 'beta---hello.test')).sticky).toBeUndefined();
  expect((await get(fixture, 'other---hello.test')).status).toBe(404);
  expect((await get(fixture, `${SIDE}.test`)).status).toBe(400);
});

test('a route that is removed leaves its waiting requests to the current revision', async () => {
  let mayListen = false;
  await using fixture = await createWireFixture({
    program: async (revision) => {
      if (revision === 'rev-2') await waitUntil('it may listen', () => mayListen);
      return program(revision);
    },
  });
  fixture.gateway.register(side);
  fixture.gateway.setTraffic([{ deployment: 'hello', split: [], tags: { 'beta---hello': SIDE } }]);
  // An answer by way of the core comes after the route.
  await get(fixture, 'hello.test');
  const waiting = [get(fixture, 'beta---hello.test'), get(fixture, 'beta---hello.test')];
  await waitUntil('they wait', () => fixture.gateway.snapshot(SIDE)?.queued === 2);
  const gone = fixture.gateway.remove(SIDE);
  for (const answer of await Promise.all(waiting))
    expect([answer.status, answer.body.includes('rev-1')]).toEqual([200, true]);
  mayListen = true;
  await gone;
  expect(fixture.gateway.snapshot(SIDE)).toBeUndefined();
  await waitUntil('nothing is in flight', () => fixture.gateway.snapshot('hello')?.inFlight === 0);
});

test('instances of all routes of a deployment are listed and can be held', async () => {
  await using fixture = await createWireFixture({ program });
  await fixture.gateway.activate(side, { signal: new AbortController().signal });
  const [instance] = await fixture.gateway.instances('hello');
  expect(instance).toMatchObject({ deployment: 'hello', revision: 'rev-2', state: 'ready' });
  const held = await fixture.gateway.hold('hello', {
    instance: instance?.instance,
    signal: new AbortController().signal,
  });
  expect(held.revision).toBe('rev-2');
  held.release();
});
