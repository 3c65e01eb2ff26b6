import { refuseWrites } from '@berth/database/testing';
import { waitUntil } from '@berth/testkit';
import { expect, test } from 'vitest';
import { createAccountFixture } from '../testing/account-fixture.ts';

const MINUTE_MS = 60_000;

test('a key is good in either header, whatever the case of Bearer', async () => {
  await using fixture = await createAccountFixture();
  const { call, operatorKey: key } = fixture;
  expect((await call('GET', '/v1/user', { key })).status).toBe(200);
  for (const Authorization of [`Bearer ${key}`, `bearer ${key}`, `BEARER   ${key}`]) {
    expect((await call('GET', '/v1/user', { headers: { Authorization } })).status).toBe(200);
  }
});

test('no credential, or one of another form, is 401 with a challenge and a sentence', async () => {
  await using fixture = await createAccountFixture();
  const { call, operatorKey: key } = fixture;
  const wrong: Record<string, string>[] = [
    {},
    { 'X-API-Key': '' },
    { 'X-API-Key': `${key}x` },
    { 'X-API-Key': key.toLowerCase() },
    { 'X-API-Key': `${key}, ${key}` },
    { 'X-API-Key': "' OR 1=1 --" },
    { Authorization: key },
    { Authorization: 'Bearer' },
    { Authorization: `Bearer ${key} x` },
    { Authorization: `Basic ${btoa(key)}` },
    { Cookie: `better-auth.session_token=${key}` },
  ];
  for (const headers of wrong) {
    const answer = await call('GET', '/v1/user', { headers });
    expect([headers, answer.status]).toEqual([headers, 401]);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(answer.body.detail).toMatch(/^[A-Z].+\.$/);
  }
});

test('the key wins over the bearer, in both directions', async () => {
  await using fixture = await createAccountFixture();
  const { call, operatorKey: key, other } = fixture;
  expect((await call('GET', '/v1/user', { key: 'bad', bearer: key })).status).toBe(401);
  expect((await call('GET', '/v1/user', { key: '', bearer: key })).status).toBe(401);
  expect((await call('GET', '/v1/user', { key, bearer: 'bad' })).status).toBe(200);
  const { body } = await call('GET', '/v1/user', { key: other.key.secret, bearer: key });
  expect(body.account.id).toBe(other.account.id);
});

test('an expired key and a revoked one say so, to those who hold them', async () => {
  await using fixture = await createAccountFixture();
  const { call, clock, operatorKey } = fixture;
  const expires_at = new Date(clock.nowMs() + MINUTE_MS).toISOString();
  const json = { name: 'short', scopes: ['read'], expires_at };
  const { body: short } = await call('POST', '/v1/user/keys', { key: operatorKey, json });
  expect((await call('GET', '/v1/user', { key: short.secret })).status).toBe(200);
  clock.advance(MINUTE_MS);
  const expired = await call('GET', '/v1/user', { key: short.secret });
  expect([expired.status, expired.body.detail]).toEqual([401, `This API key expired at ${expires_at}.`]);

  await call('DELETE', `/v1/user/keys?id=${short.id}`, { key: operatorKey });
  const revoked = await call('GET', '/v1/user', { bearer: short.secret });
  expect([revoked.status, revoked.body.detail]).toEqual([401, expect.stringContaining('was revoked at')]);
});

test('a use is noted once a minute, beside the request', async () => {
  await using fixture = await createAccountFixture();
  const { call, clock, db, operatorKey: key } = fixture;
  const lastUse = async () => {
    const row = db.selectFrom('api_keys').select('last_used_at').where('name', '=', 'bootstrap');
    return (await row.executeTakeFirstOrThrow()).last_used_at;
  };
  expect(await lastUse()).toBeNull();
  const firstMs = clock.nowMs();
  await Promise.all([call('GET', '/v1/user', { key }), call('GET', '/v1/user', { key })]);
  await waitUntil('the use is noted', async () => (await lastUse()) === firstMs);
  clock.advance(MINUTE_MS - 1);
  await call('GET', '/v1/user', { key });
  expect(await lastUse()).toBe(firstMs);
  clock.advance(1);
  await waitUntil('the next use is noted', async () => {
    // The first note may be read before it is on disk; until then no other is made.
    await call('GET', '/v1/user', { key });
    return (await lastUse()) === firstMs + MINUTE_MS;
  });
});

test('a person without an account is told so', async () => {
  await using fixture = await createAccountFixture();
  const { call, db, operatorKey: key } = fixture;
  const user = { email: 'ann@example.org', password: 'correct horse battery' };
  await call('POST', '/v1/admin/accounts', { key, json: { name: 'acme', user } });
  const { body } = await call('POST', '/v1/auth/sign-in/email', { json: user });
  expect((await call('GET', '/v1/user', { bearer: body.token })).body.account.name).toBe('acme');
  await db.deleteFrom('account_members').execute();
  const answer = await call('GET', '/v1/user', { bearer: body.token });
  expect([answer.status, answer.body.detail]).toEqual([403, 'You are signed in, but not a member of any account.']);
});

// Fails when a failed write is not logged, or keeps later ones of the same key from being made.
test('a use that cannot be noted fails no request, is logged, and is noted the next time', async () => {
  await using fixture = await createAccountFixture();
  const { call, db, logLines, other } = fixture;
  const key = other.key.secret;
  const lastUsed = async () =>
    (await db.selectFrom('api_keys').select('last_used_at').where('id', '=', other.key.id).executeTakeFirstOrThrow())
      .last_used_at;
  const mend = await refuseWrites(db, 'api_keys', 'update');
  expect((await call('GET', '/v1/user', { key })).status).toBe(200);
  await waitUntil('it is logged', () => logLines.some((line) => line.includes('use of a credential')));
  expect(await lastUsed()).toBeNull();
  await mend();
  expect((await call('GET', '/v1/user', { key })).status).toBe(200);
  await waitUntil('it is noted', async () => (await lastUsed()) !== null);
});
