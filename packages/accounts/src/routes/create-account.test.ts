import { expect, test } from 'vitest';
import { createAccountFixture } from '../testing/account-fixture.ts';

test('the operator makes an account with a key and a person', async () => {
  await using fixture = await createAccountFixture();
  const { call, operatorKey: key } = fixture;
  const user = { email: 'Ann@Example.org', password: 'correct horse battery', name: 'Ann' };
  const { status, body } = await call('POST', '/v1/admin/accounts', { key, json: { name: 'acme', user } });
  expect(status).toBe(200);
  expect(body.account).toMatchObject({ name: 'acme', plan: 'self-hosted' });
  const who = await call('GET', '/v1/user', { key: body.key.secret });
  expect(who.body.account).toEqual(body.account);
  const { body: session } = await call('POST', '/v1/auth/sign-in/email', { json: user });
  expect(session.user).toMatchObject({ name: 'Ann', email: 'ann@example.org' });
  expect((await call('GET', '/v1/user', { bearer: session.token })).body.account).toEqual(body.account);
});

test('nobody else does', async () => {
  await using fixture = await createAccountFixture();
  const { call, other, db } = fixture;
  const answer = await call('POST', '/v1/admin/accounts', { key: other.key.secret, json: { name: 'more' } });
  expect([answer.status, answer.body.detail]).toEqual([403, "Only the operator's account can do this."]);
  expect(await db.selectFrom('accounts').select('id').execute()).toHaveLength(2);
});

test('a taken name or address is 409 and leaves nothing', async () => {
  await using fixture = await createAccountFixture();
  const { call, operatorKey: key, db } = fixture;
  const user = { email: 'ann@example.org', password: 'correct horse battery' };
  await call('POST', '/v1/admin/accounts', { key, json: { name: 'acme', user } });
  for (const json of [{ name: 'acme' }, { name: 'operator' }, { name: 'acme2', user }]) {
    expect((await call('POST', '/v1/admin/accounts', { key, json })).status).toBe(409);
  }
  const names = await db.selectFrom('accounts').select('name').orderBy('created_at').execute();
  expect(names.map(({ name }) => name)).toEqual(['operator', 'other', 'acme']);
  expect(await db.selectFrom('api_keys').select('id').execute()).toHaveLength(3);
});

test.each([
  [{}, ['name']],
  [{ name: 'Acme' }, ['name']],
  [{ name: '-acme' }, ['name']],
  [{ name: 'a'.repeat(64) }, ['name']],
  [{ name: 'acme', user: { email: 'ann', password: 'correct horse battery' } }, ['user', 'email']],
  [{ name: 'acme', user: { email: 'ann@example.org', password: 'short' } }, ['user', 'password']],
])('%j is 422 at its field', async (json, field) => {
  await using fixture = await createAccountFixture();
  const { call, operatorKey: key } = fixture;
  const { status, body } = await call('POST', '/v1/admin/accounts', { key, json });
  expect([status, body.detail[0].loc]).toEqual([422, ['body', ...field]]);
});
