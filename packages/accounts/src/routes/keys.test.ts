import { expect, test } from 'vitest';
import { createAccountFixture } from '../testing/account-fixture.ts';

test('a key is made, shown once, listed without its secret, and revoked', async () => {
  await using fixture = await createAccountFixture();
  const { call, operatorKey } = fixture;
  const json = { name: ' ci ', scopes: ['deploy', 'logs', 'deploy'] };
  const made = await call('POST', '/v1/user/keys', { key: operatorKey, json });
  expect(made.status).toBe(200);
  expect(made.body).toMatchObject({ name: 'ci', scopes: ['deploy', 'logs'], expires_at: null, last_used_at: null });
  expect(made.body.secret).toMatch(/^berth_[A-Za-z0-9_-]{43}$/);
  expect(made.body.secret.startsWith(made.body.start)).toBe(true);
  expect(made.body.start).toHaveLength(10);
  expect(made.headers.get('cache-control')).toBe('no-store');

  const who = await call('GET', '/v1/user', { key: made.body.secret });
  expect(who.body).toMatchObject({ key: { id: made.body.id, name: 'ci' }, user: null, scopes: ['deploy', 'logs'] });

  const list = await call('GET', '/v1/user/keys', { key: operatorKey });
  expect(list.body.map(({ name }: { name: string }) => name)).toEqual(['ci', 'bootstrap']);
  expect(JSON.stringify(list.body)).not.toContain(made.body.secret);

  for (let i = 0; i < 2; i++) {
    expect((await call('DELETE', `/v1/user/keys?id=${made.body.id}`, { key: operatorKey })).status).toBe(200);
  }
  expect((await call('GET', '/v1/user', { key: made.body.secret })).status).toBe(401);
  expect((await call('GET', '/v1/user/keys', { key: operatorKey })).body).toHaveLength(1);
});

test('without scopes a key has those of the key that made it', async () => {
  await using fixture = await createAccountFixture();
  const { call, operatorKey } = fixture;
  const admin = await call('POST', '/v1/user/keys', { key: operatorKey, json: { name: 'a', scopes: ['admin'] } });
  const { body } = await call('POST', '/v1/user/keys', { key: admin.body.secret, json: { name: 'b' } });
  expect(body.scopes).toEqual(['admin']);
});

test('admin implies every scope; no other scope reaches keys or the audit log', async () => {
  await using fixture = await createAccountFixture();
  const { call, operatorKey } = fixture;
  const withScopes = async (scopes: string[]) =>
    (await call('POST', '/v1/user/keys', { key: operatorKey, json: { name: 'x', scopes } })).body.secret as string;
  const weak = await withScopes(['read', 'deploy', 'volumes', 'logs', 'billing']);
  for (const [method, route, json] of [
    ['GET', '/v1/user/keys', undefined],
    ['POST', '/v1/user/keys', { name: 'more', scopes: ['admin'] }],
    ['DELETE', '/v1/user/keys?id=key_x', undefined],
    ['GET', '/v1/user/audit', undefined],
    ['POST', '/v1/admin/accounts', { name: 'more' }],
  ] as const) {
    const answer = await call(method, route, { key: weak, json });
    expect([method, route, answer.status]).toEqual([method, route, 403]);
    expect(answer.body.detail).toBe('This credential lacks the scope "admin".');
  }
  expect((await call('GET', '/v1/user', { key: weak })).status).toBe(200);
  expect((await call('GET', '/v1/user/audit', { key: await withScopes(['admin']) })).status).toBe(200);
});

test.each([
  [{}, ['name', 'missing']],
  [{ name: '' }, ['name', 'too_small']],
  [{ name: '   ' }, ['name', 'too_small']],
  [{ name: 'x'.repeat(101) }, ['name', 'too_big']],
  [{ name: 'x', scopes: [] }, ['scopes', 'too_small']],
  [{ name: 'x', scopes: ['root'] }, ['scopes', 'invalid_value']],
  [{ name: 'x', scopes: 'read' }, ['scopes', 'invalid_type']],
  [{ name: 'x', expires_at: 'tomorrow' }, ['expires_at', 'invalid_format']],
  [{ name: 'x', expires_at: '2020-01-01T00:00:00Z' }, ['expires_at', 'in_the_past']],
])('%j is 422 at its field', async (json, [field, type]) => {
  await using fixture = await createAccountFixture();
  const { call, operatorKey, db } = fixture;
  const answer = await call('POST', '/v1/user/keys', { key: operatorKey, json });
  expect(answer.status).toBe(422);
  expect(answer.body.detail[0].loc.slice(0, 2)).toEqual(['body', field]);
  expect(answer.body.detail[0].type).toBe(type);
  expect(await db.selectFrom('api_keys').select('id').execute()).toHaveLength(2);
});

test("another account's key is 403 and stays, an unknown one 404, none at all 422", async () => {
  await using fixture = await createAccountFixture();
  const { call, operatorKey, other } = fixture;
  expect((await call('DELETE', `/v1/user/keys?id=${other.key.id}`, { key: operatorKey })).status).toBe(403);
  expect((await call('GET', '/v1/user', { key: other.key.secret })).status).toBe(200);
  expect((await call('DELETE', '/v1/user/keys?id=key_unknown', { key: operatorKey })).status).toBe(404);
  const missing = await call('DELETE', '/v1/user/keys', { key: operatorKey });
  expect([missing.status, missing.body.detail]).toEqual([
    422,
    [{ loc: ['query', 'id'], msg: 'Field required', type: 'missing' }],
  ]);
});

test('an account cannot have keys without end', async () => {
  await using fixture = await createAccountFixture();
  const { call, db, operatorKey, other } = fixture;
  const row = await db
    .selectFrom('api_keys')
    .selectAll()
    .where('account_id', '=', other.account.id)
    .executeTakeFirstOrThrow();
  const copies = Array.from({ length: 499 }, (_, i) => ({ ...row, id: `key_${i}`, hash: `hash ${i}` }));
  await db.insertInto('api_keys').values(copies).execute();
  const answer = await call('POST', '/v1/user/keys', { key: other.key.secret, json: { name: 'one more' } });
  expect([answer.status, answer.body.detail]).toEqual([429, expect.stringContaining('500 keys')]);
  expect(answer.headers.get('retry-after')).not.toBeNull();
  expect((await call('POST', '/v1/user/keys', { key: operatorKey, json: { name: 'mine' } })).status).toBe(200);
});

test('the audit log tells who did what, newest first, a page at a time, and only of the own account', async () => {
  await using fixture = await createAccountFixture();
  const { call, clock, operatorKey, other } = fixture;
  const ids: string[] = [];
  for (let i = 0; i < 3; i++) {
    clock.advance(1_000);
    const { body } = await call('POST', '/v1/user/keys', {
      key: operatorKey,
      json: { name: `k${i}`, scopes: ['read'] },
    });
    ids.push(body.id);
  }
  await call('DELETE', `/v1/user/keys?id=${ids[1]}`, {
    key: operatorKey,
    headers: { 'X-Request-Id': 'request-of-test' },
  });
  const first = await call('GET', '/v1/user/audit?limit=2', { key: operatorKey });
  const { body: me } = await call('GET', '/v1/user', { key: operatorKey });
  expect(first.body.entries[0]).toMatchObject({
    actor: { kind: 'key', id: me.key.id },
    action: 'key.revoke',
    target: ids[1],
    request_id: 'request-of-test',
  });
  const seen: string[] = [];
  let page = first.body;
  for (;;) {
    seen.push(...page.entries.map(({ action, target }: { action: string; target: string }) => `${action} ${target}`));
    if (page.next_page_token === null) break;
    page = (await call('GET', `/v1/user/audit?limit=2&page_token=${page.next_page_token}`, { key: operatorKey })).body;
  }
  expect(seen).toEqual([
    `key.revoke ${ids[1]}`,
    `key.create ${ids[2]}`,
    `key.create ${ids[1]}`,
    `key.create ${ids[0]}`,
    `key.create ${me.key.id}`,
    `account.create ${me.account.id}`,
  ]);
  const theirs = await call('GET', '/v1/user/audit', { key: other.key.secret });
  expect(theirs.body.entries.map(({ action }: { action: string }) => action)).toEqual(['key.create', 'account.create']);
  for (const limit of ['0', '1001', 'x']) {
    expect((await call('GET', `/v1/user/audit?limit=${limit}`, { key: operatorKey })).status).toBe(422);
  }
});
