import { refuseWrites } from '@berth/database/testing';
import { expect, test } from 'vitest';
import { type AccountFixture, createAccountFixture } from '../testing/account-fixture.ts';

const PASSWORD = 'correct horse battery';

/** Everything that a change may touch, as text. */
async function stateOf({ db }: AccountFixture): Promise<string> {
  const tables = ['accounts', 'account_members', 'account_invites', 'api_keys', 'auth_users', 'device_grants'] as const;
  const rows = tables.map((table) => db.selectFrom(table).selectAll().execute());
  // The use of a credential is noted beside the requests.
  return JSON.stringify(await Promise.all(rows), (name, value) => (name === 'last_used_at' ? undefined : value));
}

// Fails when one of these changes is made, or its record written, outside of their common transaction.
test('a change whose record cannot be written is not made', async () => {
  await using fixture = await createAccountFixture();
  const { call, db, operatorKey: key } = fixture;
  const create = async (path: string, json: unknown) => (await call('POST', path, { key, json })).body;
  const invite = async () => (await create('/v1/user/invites', {})).link.split('#')[1] as string;
  const join = async (email: string) => {
    const json = { token: await invite(), email, password: PASSWORD, name: 'Ann' };
    return (await call('POST', '/v1/auth/invites/accept', { json })).body;
  };
  const ann = await join('ann@example.org');
  const bob = await join('bob@example.org');
  const made = await create('/v1/user/keys', { name: 'made', scopes: ['read'] });
  const open = await create('/v1/user/invites', { role: 'member' });
  const device = (await call('POST', '/v1/auth/device/code', { json: { device_name: 'laptop' } })).body;
  const token = await invite();
  const cleo = { token, email: 'cleo@example.org', password: PASSWORD, name: 'Cleo' };

  const changes: [string, string, Parameters<AccountFixture['call']>[2]][] = [
    ['POST', '/v1/user/keys', { key, json: { name: 'another', scopes: ['read'] } }],
    ['DELETE', `/v1/user/keys?id=${made.id}`, { key }],
    ['POST', '/v1/user/members', { key, json: { user_id: ann.user.id, role: 'admin' } }],
    ['DELETE', `/v1/user/members?user_id=${bob.user.id}`, { key }],
    ['POST', '/v1/user/invites', { key, json: {} }],
    ['DELETE', `/v1/user/invites?id=${open.id}`, { key }],
    ['POST', '/v1/auth/invites/accept', { json: cleo }],
    ['POST', '/v1/user/device', { bearer: ann.token, json: { user_code: device.user_code, approve: true } }],
    ['POST', '/v1/user/profile', { bearer: ann.token, json: { name: 'Anna' } }],
    ['POST', '/v1/admin/accounts', { key, json: { name: 'acme', user: { email: 'a@acme.org', password: PASSWORD } } }],
  ];
  const before = await stateOf(fixture);
  const mend = await refuseWrites(db, 'audit_log', 'insert');
  for (const [method, path, options] of changes) {
    const { status } = await call(method, path, options);
    expect([method, path, status]).toEqual([method, path, 500]);
    expect([method, path, await stateOf(fixture)]).toEqual([method, path, before]);
  }
  await mend();
  for (const [method, path, options] of changes) {
    const { status } = await call(method, path, options);
    expect([method, path, status]).toEqual([method, path, 200]);
  }
});
