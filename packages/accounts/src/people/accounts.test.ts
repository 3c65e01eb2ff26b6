import { BerthError } from '@berth/kit';
import { expect, test } from 'vitest';
import { createKeySecret } from '../secrets/secrets.ts';
import { createAccountFixture } from '../testing/account-fixture.ts';

test("the operator's account is made once and found again", async () => {
  await using fixture = await createAccountFixture();
  const { services, operatorKey, db } = fixture;
  const again = await services.accounts.ensureOperator({ secret: operatorKey });
  expect([again.isNew, again.account.name]).toEqual([false, 'operator']);
  expect(await db.selectFrom('accounts').select('id').where('is_operator', '=', 1).execute()).toHaveLength(1);
  expect(await db.selectFrom('api_keys').select('id').where('name', '=', 'bootstrap').execute()).toHaveLength(1);
});

test('another secret becomes a further key of the operator', async () => {
  await using fixture = await createAccountFixture();
  const { services, operatorKey, call } = fixture;
  const chosen = 'a chosen key: no'.replaceAll(' ', '_').padEnd(32, '!');
  await services.accounts.ensureOperator({ secret: chosen });
  for (const key of [operatorKey, chosen]) {
    expect((await call('GET', '/v1/user', { key })).body.account.name).toBe('operator');
  }
});

test('a start does not bring a revoked key back', async () => {
  await using fixture = await createAccountFixture();
  const { services, operatorKey: key, call } = fixture;
  const { body } = await call('GET', '/v1/user', { key });
  await call('DELETE', `/v1/user/keys?id=${body.key.id}`, { key });
  await services.accounts.ensureOperator({ secret: key });
  expect((await call('GET', '/v1/user', { key })).status).toBe(401);
});

test('the key of another account cannot become the operator’s', async () => {
  await using fixture = await createAccountFixture();
  const { services, other, call } = fixture;
  const taking = services.accounts.ensureOperator({ secret: other.key.secret });
  await expect(taking).rejects.toMatchObject({ code: 'conflict' });
  expect((await call('GET', '/v1/user', { key: other.key.secret })).body.account.name).toBe('other');
});

test.each([
  ['31 characters', 'x'.repeat(31)],
  ['513 characters', 'x'.repeat(513)],
  ['a space', `${'x'.repeat(40)} x`],
  ['a line break', `${'x'.repeat(40)}\n`],
  ['a letter beyond ASCII', `${'x'.repeat(40)}é`],
])('a secret with %s is refused in words', async (_what, secret) => {
  await using fixture = await createAccountFixture();
  const error: unknown = await fixture.services.accounts
    .ensureOperator({ secret })
    .then(undefined, (thrown: unknown) => thrown);
  expect(BerthError.is(error, 'invalid')).toBe(true);
  expect((error as Error).message).toMatch(/^The key has .+\.$/);
  expect((error as Error).message).not.toContain(secret);
});

test('made secrets have 256 bits and differ', () => {
  const secrets = new Set(Array.from({ length: 1_000 }, createKeySecret));
  expect(secrets.size).toBe(1_000);
  for (const secret of secrets) expect(secret).toMatch(/^berth_[A-Za-z0-9_-]{43}$/);
});
