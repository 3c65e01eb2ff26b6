import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestAgent, type TestAgent } from '../testing/open-test-agent.ts';

let agent: TestAgent;
beforeAll(async () => {
  agent = await openTestAgent();
});
afterAll(() => agent[Symbol.asyncDispose]());

let count = 0;
/** Returns a new app for each test. */
const newApp = () => `/apps/app-${++count}/data`;
const put = (token: string, path: string, value: unknown) =>
  fetch(agent.url + path, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(value),
  });
const read = async (token: string, path: string) => {
  const response = await agent.call(token, 'GET', path);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

describe('rows', () => {
  it.each([
    ['null', null],
    ['text', 'é\u0000'],
    ['a number', -1.5e-9],
    ['false', false],
    ['a list', [1, [2], {}]],
    ['an object', { a: { b: null } }],
    ['a key of prototypes', JSON.parse('{"__proto__":{"x":1},"constructor":2}')],
  ])('keep %s as it is', async (_, value) => {
    const app = newApp();
    const response = await put('alice', `${app}/k`, value);
    expect([response.status, await response.json()]).toEqual([200, { ok: true, version: 1 }]);
    const row = await read('alice', `${app}/k`);
    expect(JSON.stringify(row.body)).toBe(JSON.stringify({ value, version: 1 }));
  });

  it('are 404 when they are not there, and gone when they were removed, twice too', async () => {
    const app = newApp();
    expect((await read('alice', `${app}/k`)).status).toBe(404);
    await put('alice', `${app}/k`, 1);
    for (const removed of [1, 0]) {
      const response = await agent.call('alice', 'DELETE', `${app}/k`);
      expect([response.status, await response.json()]).toEqual([200, { ok: true, removed }]);
    }
    expect((await read('alice', `${app}/k`)).status).toBe(404);
  });

  it('may have keys with slashes, and go as a subtree', async () => {
    // Holds the agent to the contract: verifies('app.delete')
    const app = newApp();
    for (const key of ['a/1', 'a/b/c', 'ab', '%252e%252e', '__proto__', 'a%20b', 'caf%C3%A9']) {
      expect((await put('alice', `${app}/${key}`, key)).status).toBe(200);
    }
    const { body } = await read('alice', app);
    expect((body['rows'] as { key: string }[]).map(({ key }) => key)).toEqual([
      '%2e%2e',
      '__proto__',
      'a b',
      'a/1',
      'a/b/c',
      'ab',
      'café',
    ]);
    expect(await (await agent.call('alice', 'DELETE', `${app}/a/`)).json()).toEqual({ ok: true, removed: 2 });
    expect((await read('alice', `${app}/ab`)).status).toBe(200);
  });

  it.each(['%2Fa', 'a%2F%2Fb', 'a//b', '..%2Fb', 'a%2F..', 'a%2F.%2Fb', 'a%00', 'a/', 'x'.repeat(1025)])(
    'have no key %s',
    async (key) => {
      // Holds the agent to the contract: verifies('app.keys')
      const app = newApp();
      expect((await put('alice', `${app}/${key}`, 1)).status).toBe(422);
      expect((await read('alice', app)).body['rows']).toEqual([]);
    },
  );

  it('have no key that begins with u/', async () => {
    // Holds the agent to the contract: verifies('app.reserved'). Fails when such a key is stored, read or removed as any other.
    const app = newApp();
    for (const method of ['PUT', 'GET', 'DELETE']) {
      const answer = await agent.call('alice', method, `${app}/u/alice/x`, method === 'PUT' ? {} : undefined);
      expect([method, answer.status]).toEqual([method, 400]);
    }
    expect((await put('alice', `${app}/us`, 1)).status).toBe(200);
  });

  it.each(['.trash', 'trash:1', 'a%2Fb', '..%2f'])('belong to no app %s', async (slug) => {
    expect((await put('alice', `/apps/${slug}/data/k`, 1)).status).toBe(422);
  });

  it('are at most 1,000,000 bytes of JSON', async () => {
    // Holds the agent to the contract: verifies('app.row')
    const app = newApp();
    expect((await put('alice', `${app}/k`, 'x'.repeat(1_000_000 - 2))).status).toBe(200);
    expect((await put('alice', `${app}/k`, 'x'.repeat(1_000_000 - 1))).status).toBe(413);
    // Fails when the limit is that of the request alone: this value is longer as it is stored.
    const long = new Blob([`[${Array.from({ length: 60_000 }, () => '1e20').join()}]`], { type: 'application/json' });
    expect((await agent.call('alice', 'PUT', `${app}/k`, long)).status).toBe(413);
    const broken = await agent.call('alice', 'PUT', `${app}/k`, new Blob(['{"a":'], { type: 'application/json' }));
    expect(broken.status).toBe(422);
    expect((await read('alice', `${app}/k`)).body['version']).toBe(1);
  });
});

describe('compare and set', () => {
  it('writes over the version that was read, and nothing else', async () => {
    // Holds the agent to the contract: verifies('app.compare')
    const app = newApp();
    expect((await put('alice', `${app}/k?version=`, 'first')).status).toBe(200);
    expect((await put('alice', `${app}/k?version=`, 'again')).status).toBe(412);
    expect((await put('alice', `${app}/k?version=7`, 'other')).status).toBe(412);
    expect((await put('alice', `${app}/k?version=x`, 'other')).status).toBe(422);
    const { version, value } = (await read('alice', `${app}/k`)).body;
    expect(value).toBe('first');
    expect((await put('alice', `${app}/k?version=${version}`, 'second')).status).toBe(200);
    expect((await put('alice', `${app}/k?version=${version}`, 'late')).status).toBe(412);
    expect((await read('alice', `${app}/k`)).body['value']).toBe('second');
  });

  it('lets exactly one of many at once win, of those who make a row and of those who write over one', async () => {
    const app = newApp();
    const race = async (version: string | number) => {
      const all = Array.from({ length: 16 }, (_, index) => put('alice', `${app}/k?version=${version}`, index));
      return (await Promise.all(all)).map(({ status }) => status).sort();
    };
    const oneOf16 = [200, ...Array.from({ length: 15 }, () => 412)];
    expect(await race('')).toEqual(oneOf16);
    const { version } = (await read('alice', `${app}/k`)).body;
    expect(await race(Number(version))).toEqual(oneOf16);
  });
});

describe('lists', () => {
  it('are cut into pages that follow each other', async () => {
    // Holds the agent to the contract: verifies('app.list')
    const app = newApp();
    for (let index = 0; index < 25; index++) await put('alice', `${app}/n/${String(index).padStart(2, '0')}`, index);
    await put('alice', `${app}/other`, 0);
    const seen: unknown[] = [];
    let cursor = '';
    for (let pages = 0; pages < 3; pages++) {
      const { body } = await read('alice', `${app}?prefix=n/&limit=10${cursor}`);
      seen.push(...(body['rows'] as { value: unknown }[]).map(({ value }) => value));
      expect(body['truncated']).toBe(pages < 2);
      cursor = `&cursor=${encodeURIComponent(String(body['cursor']))}`;
    }
    expect(seen).toEqual(Array.from({ length: 25 }, (_, index) => index));
    const last = await read('alice', `${app}?prefix=n/&limit=25`);
    expect([last.body['truncated'], last.body['cursor']]).toEqual([false, null]);
    for (const query of ['limit=0', 'limit=1001', 'limit=x'])
      expect((await read('alice', `${app}?${query}`)).status).toBe(422);
  });

  it('are cut where they grow large', async () => {
    const app = newApp();
    for (let index = 0; index < 6; index++) await put('alice', `${app}/${index}`, 'x'.repeat(999_000));
    const { body } = await read('alice', app);
    expect((body['rows'] as unknown[]).length).toBe(5);
    const rest = await read('alice', `${app}?cursor=${body['cursor']}`);
    expect([(rest.body['rows'] as unknown[]).length, rest.body['truncated']]).toEqual([1, false]);
  });
});

describe('whose rows', () => {
  it('shared and own ones are apart', async () => {
    // Holds the agent to the contract: verifies('app.who')
    const app = newApp();
    await put('alice', `${app}/k`, 'shared');
    await put('alice', `${app}/k?who=me`, 'own');
    expect((await read('alice', `${app}/k`)).body['value']).toBe('shared');
    expect((await read('alice', `${app}/k?who=me`)).body['value']).toBe('own');
    expect((await read('alice', `${app}/k?who=alice`)).body['value']).toBe('own');
  });

  it("somebody else's are for admins, and all of them are a list", async () => {
    // Holds the agent to the contract: verifies('app.who')
    const app = newApp();
    for (const who of ['all', 'carol', 'nobody']) {
      expect((await read('bob.acme', `${app}?who=${who}`)).status).toBe(403);
      expect((await read('bob.acme', `${app}/k?who=${who}`)).status).toBe(403);
      expect((await put('bob.acme', `${app}/k?who=${who}`, 1)).status).toBe(403);
      expect((await agent.call('bob.acme', 'DELETE', `${app}/k?who=${who}`)).status).toBe(403);
    }
    await put('carol.acme.admin', `${app}/k?who=me`, 'mine');
    await put('carol.acme.admin', `${app}/k?who=dave`, 'his');
    const { body } = await read('carol.acme.admin', `${app}?who=all`);
    expect(body['rows']).toEqual([
      { key: 'k', value: 'mine', version: 1, who: 'carol' },
      { key: 'k', value: 'his', version: 1, who: 'dave' },
    ]);
    expect((await put('carol.acme.admin', `${app}/k?who=all`, 1)).status).toBe(422);
  });

  it('other owners see none of it, and change none', async () => {
    const app = newApp();
    await put('alice', `${app}/k`, 'secret');
    for (const token of ['bob.acme', 'alice.acme', 'carol.acme.admin']) {
      expect((await read(token, `${app}/k`)).status).toBe(404);
      expect((await read(token, app)).body['rows']).toEqual([]);
      expect(await (await agent.call(token, 'DELETE', `${app}/k`)).json()).toEqual({ ok: true, removed: 0 });
    }
    expect((await read('alice', `${app}/k`)).body['value']).toBe('secret');
  });
});

describe('an app', () => {
  const keys = async (slug: string) =>
    ((await read('erin', `/apps/${slug}/data`)).body['rows'] as { key: string }[]).map(({ key }) => key);
  const makeApp = async (slug: string) => {
    await agent.call('erin', 'PUT', `/files/apps/${slug}/index.html`, new Blob(['<p>poll</p>']));
    await put('erin', `/apps/${slug}/data/votes`, 1);
  };
  const remove = async (slug: string) => {
    const response = await agent.call('erin', 'DELETE', `/files/apps/${slug}`);
    return (await response.json()) as { trash_id: string; kind: string };
  };

  it('takes its rows along: into the trash, out of it, to another name, and away', async () => {
    // Holds the agent to the contract: verifies('app.follow')
    await makeApp('poll');
    const { trash_id, kind } = await remove('poll');
    expect(kind).toBe('app');
    expect(await keys('poll')).toEqual([]);
    // A new app of the same name has its own rows, and both exist afterwards.
    await makeApp('poll');
    await put('erin', '/apps/poll/data/newer', 1);
    await agent.call('erin', 'POST', `/trash/${trash_id}/restore`);
    expect(await keys('poll')).toEqual(['newer', 'votes']);
    expect(await keys('poll%20(restored)')).toEqual(['votes']);

    const moved = await agent.call('erin', 'PATCH', '/files/apps/poll', { to: 'apps/survey' });
    expect(moved.status).toBe(200);
    expect([await keys('poll'), await keys('survey')]).toEqual([[], ['newer', 'votes']]);

    const gone = await remove('survey');
    await agent.call('erin', 'DELETE', `/trash/${gone.trash_id}`);
    expect((await agent.call('erin', 'POST', `/trash/${gone.trash_id}/restore`)).status).toBe(404);
    await makeApp('survey');
    expect(await keys('survey')).toEqual(['votes']);
  });
});
