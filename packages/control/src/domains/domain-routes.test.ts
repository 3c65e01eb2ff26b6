import type { AccountId } from '@berth/kit';
import { ACCESS_CREDENTIALS, runAccessMatrix } from '@berth/testkit';
import { describe, expect, test } from 'vitest';
import { createDomainFixture } from './testing/domain-fixture.ts';

describe('add', () => {
  test('claims a domain and says how to prove it; again says the same', async () => {
    await using fixture = await createDomainFixture();
    const first = await fixture.add('Bücher.Example.com.', 'shop');
    expect(first).toMatchObject({
      domain: 'xn--bcher-kva.example.com',
      deployment_name: 'shop',
      status: 'pending',
      target: 'shop.apps.example',
      verified_at: null,
      proof: { txt: { name: '_berth.xn--bcher-kva.example.com' } },
    });
    expect(first.proof.http.url).toMatch(
      /^http:\/\/xn--bcher-kva\.example\.com:\d+\/\.well-known\/berth-domain\/[\w-]{32}$/,
    );
    expect(first.proof.txt.value).toBe(first.proof.http.body);
    expect(first.proof.http.url).not.toContain(first.proof.http.body.replace('berth-domain-proof=', ''));
    expect(await fixture.add('xn--bcher-kva.example.com', 'shop')).toEqual(first);
    expect((await fixture.call('GET', '/v1/domain/list')).body).toEqual([first]);
    expect(fixture.changes).toEqual([]);
  });

  test('port 80 is not in the address', async () => {
    await using fixture = await createDomainFixture({ httpPort: 80 });
    expect((await fixture.add('shop.example.com', 'shop')).proof.http.url).toMatch(
      /^http:\/\/shop\.example\.com\/\.well/,
    );
  });

  test.each(['127.0.0.1', 'shop', '*.example.com', 'shop.apps.example', 'apps.example', 'http://x.com', ''])(
    '"%s" is 422 at its field',
    async (domain) => {
      await using fixture = await createDomainFixture();
      const { status, body } = await fixture.call('POST', '/v1/domain/add', { domain, deployment_name: 'shop' });
      expect([status, body.detail[0].loc, body.detail[0].type]).toEqual([422, ['body', 'domain'], 'domain_invalid']);
      expect(await fixture.db.selectFrom('domains').selectAll().execute()).toEqual([]);
    },
  );

  test("another account's deployment is 403, nobody's 404, one that is being deleted 409", async () => {
    await using fixture = await createDomainFixture();
    const add = (deployment_name: string) =>
      fixture.call('POST', '/v1/domain/add', { domain: 'shop.example.com', deployment_name });
    expect((await add('bobs')).status).toBe(403);
    expect((await add('nobodys')).status).toBe(404);
    await fixture.db.updateTable('deployments').set({ status: 'deleting' }).where('name', '=', 'shop').execute();
    expect((await add('shop')).status).toBe(409);
    await fixture.db.updateTable('deployments').set({ status: 'reserved' }).where('name', '=', 'blog').execute();
    expect((await add('blog')).status).toBe(404);
    const missing = await fixture.call('POST', '/v1/domain/add', {});
    expect(missing.body.detail.map(({ type }: { type: string }) => type)).toEqual(['missing', 'missing']);
  });

  test('an account cannot have domains without end', async () => {
    await using fixture = await createDomainFixture();
    const row = {
      account_id: 'acc_alice',
      deployment: 'shop',
      status: 'pending',
      proof: 'p',
      created_at: 0,
      verified_at: null,
    } as const;
    const rows = Array.from({ length: 100 }, (_, i) => ({ ...row, domain: `d${i}.example.com`, token: `t${i}` }));
    await fixture.db.insertInto('domains').values(rows).execute();
    const answer = await fixture.call('POST', '/v1/domain/add', { domain: 'x.example.com', deployment_name: 'shop' });
    expect([answer.status, answer.body.detail]).toEqual([429, expect.stringContaining('100 domains')]);
    await fixture.add('x.example.com', 'bobs', 'bob');
  });

  test('an own domain is led to another deployment, proven as it is', async () => {
    await using fixture = await createDomainFixture();
    const domain = await fixture.add('shop.example.com', 'shop');
    fixture.publish(domain);
    await fixture.call('POST', '/v1/domain/verify', { domain: 'shop.example.com' });
    const moved = await fixture.add('shop.example.com', 'blog');
    expect(moved).toMatchObject({ deployment_name: 'blog', status: 'active', proof: domain.proof });
    expect(fixture.changes).toEqual([
      { domain: 'shop.example.com', deployment: 'shop' },
      { domain: 'shop.example.com', deployment: 'blog' },
    ]);
    expect(await fixture.domains.routes()).toEqual(new Map([['shop.example.com', 'blog']]));
  });
});

describe('list', () => {
  test('is of the account or of one deployment, by GET and by POST', async () => {
    await using fixture = await createDomainFixture();
    await fixture.add('one.example.com', 'shop');
    fixture.clock.advance(1);
    await fixture.add('two.example.com', 'blog');
    await fixture.add('bobs.example.com', 'bobs', 'bob');
    const names = async (method: string, route: string, json?: unknown) =>
      (await fixture.call(method, route, json)).body.map(({ domain }: { domain: string }) => domain);
    expect(await names('GET', '/v1/domain/list')).toEqual(['one.example.com', 'two.example.com']);
    expect(await names('POST', '/v1/domain/list', {})).toEqual(['one.example.com', 'two.example.com']);
    expect(await names('GET', '/v1/domain/list?name=blog')).toEqual(['two.example.com']);
    expect(await names('POST', '/v1/domain/list', { name: 'shop' })).toEqual(['one.example.com']);
    expect((await fixture.call('GET', '/v1/domain/list?name=bobs')).status).toBe(403);
    expect((await fixture.call('POST', '/v1/domain/list', { name: 'nobodys' })).status).toBe(404);
  });
});

describe('remove', () => {
  test('gives a domain up, so that another account can have it', async () => {
    await using fixture = await createDomainFixture();
    fixture.publish(await fixture.add('shop.example.com', 'shop'));
    await fixture.call('POST', '/v1/domain/verify', { domain: 'shop.example.com' });
    expect((await fixture.call('POST', '/v1/domain/remove', { domain: 'shop.example.com' }, 'bob')).status).toBe(403);
    expect((await fixture.call('POST', '/v1/domain/remove', { domain: 'SHOP.example.com.' })).status).toBe(200);
    expect((await fixture.call('POST', '/v1/domain/remove', { domain: 'shop.example.com' })).status).toBe(404);
    expect(fixture.changes.at(-1)).toEqual({ domain: 'shop.example.com', deployment: null });
    expect(await fixture.domains.routes()).toEqual(new Map());
    await fixture.add('shop.example.com', 'bobs', 'bob');
  });

  test("of a pending domain changes no route and touches no other account's claim", async () => {
    await using fixture = await createDomainFixture();
    await fixture.add('shop.example.com', 'shop');
    await fixture.add('shop.example.com', 'bobs', 'bob');
    expect((await fixture.call('POST', '/v1/domain/remove', { domain: 'shop.example.com' })).status).toBe(200);
    expect(fixture.changes).toEqual([]);
    expect((await fixture.call('GET', '/v1/domain/list', undefined, 'bob')).body).toHaveLength(1);
  });
});

test('every change is in the audit log', async () => {
  await using fixture = await createDomainFixture();
  fixture.publish(await fixture.add('shop.example.com', 'shop'));
  await fixture.call('POST', '/v1/domain/verify', { domain: 'shop.example.com' });
  await fixture.add('shop.example.com', 'blog');
  await fixture.add('shop.example.com', 'blog');
  await fixture.call('POST', '/v1/domain/remove', { domain: 'shop.example.com' });
  const { entries } = await fixture.audit.list({ accountId: 'acc_alice' as AccountId, limit: 10 });
  expect(entries.map(({ action, target, details }) => [action, target, details])).toEqual([
    ['domain.remove', 'shop.example.com', { deployment: 'blog' }],
    ['domain.add', 'shop.example.com', { deployment: 'blog', before: 'shop' }],
    ['domain.verify', 'shop.example.com', { deployment: 'shop' }],
    ['domain.add', 'shop.example.com', { deployment: 'shop' }],
  ]);
});

test('every route answers every credential as the contract says', async () => {
  await using fixture = await createDomainFixture();
  for (const domain of ['canary.example.com', 'canary-2.example.com']) {
    fixture.publish(await fixture.add(domain, 'shop'));
    await fixture.call('POST', '/v1/domain/verify', { domain });
  }
  const bad = { 'X-API-Key': 'nobody' };
  const samples: Readonly<Record<string, object>> = {
    'POST /v1/domain/add': { json: { domain: 'canary.example.com', deployment_name: 'shop' }, isOwned: true },
    'POST /v1/domain/verify': { json: { domain: 'canary.example.com' }, isOwned: true },
    'GET /v1/domain/list': {},
    'POST /v1/domain/list': { json: { name: 'shop' }, isOwned: true },
    'POST /v1/domain/remove': { json: { domain: 'canary-2.example.com' }, isOwned: true },
  };
  const results = await runAccessMatrix({
    send: async (request) => fixture.api.fetch(request),
    origin: 'http://localhost',
    credentials: {
      bad,
      'bad beside good': { ...bad, Authorization: 'Bearer alice' },
      expired: bad,
      revoked: bad,
      'read-only': { 'X-API-Key': 'alice-read' },
      'other account': { 'X-API-Key': 'bob' },
      owner: { 'X-API-Key': 'alice' },
    },
    sample: ({ id }) => samples[id],
    canaries: ['canary.example.com"', 'berth-domain-proof'],
  });
  const operations = new Set(results.map(({ operation }) => operation));
  expect([...operations].sort()).toEqual(Object.keys(samples).sort());
  expect(results).toHaveLength(operations.size * ACCESS_CREDENTIALS.length);
  expect(results.filter(({ fault }) => fault !== undefined)).toEqual([]);
});
