import type { AuditAction, AuditPage } from '@berth/contract';
import { createIdSource } from '@berth/kit';
import { expect, test } from 'vitest';
import { createAccountFixture } from '../testing/account-fixture.ts';
import { type AuditRecord, createAuditLog, SYSTEM_SOURCE } from './audit-log.ts';

test('the lines are paged, and picked by who, what and when; who is named', async () => {
  await using fixture = await createAccountFixture();
  const { call, clock, db, operatorKey } = fixture;
  const { body } = await call('POST', '/v1/admin/accounts', { key: operatorKey, json: { name: 'acme' } });
  const accountId = body.account.id;
  const key = body.key.secret;
  const audit = createAuditLog({ db, clock, ids: createIdSource() });
  const record = async (line: Pick<AuditRecord, 'action' | 'target' | 'actor'>) => {
    clock.advance(1_000);
    await audit.record({ accountId, ...line });
    return new Date(clock.nowMs()).toISOString();
  };
  const actor = { kind: 'key', id: body.key.id } as const;
  const gone = { kind: 'session', id: 'usr_gone' } as const;
  await record({ action: 'volume.create', target: 'photos_of%2025', actor });
  const atMs = await record({ action: 'deployment.delete', target: 'shop', actor: gone });
  await record({ action: 'deployment.deploy', target: 'photos', ...SYSTEM_SOURCE });
  await record({ action: 'deploymentx.create' as AuditAction, target: 'photos', ...SYSTEM_SOURCE });
  const list = async (query: Record<string, string>) => {
    const answer = await call('GET', `/v1/user/audit?${new URLSearchParams(query)}`, { key });
    expect([query, answer.status]).toEqual([query, 200]);
    return answer.body as AuditPage;
  };
  const targets = async (query: Record<string, string>) =>
    (await list(query)).entries.map(({ action, target }) => `${action} ${target}`);
  const [created, first] = (await list({ target: 'photos' })).entries.toReversed();
  expect([first?.actor, first?.actor_name, created?.actor_name]).toEqual([
    SYSTEM_SOURCE.actor,
    null,
    expect.any(String),
  ]);
  expect((await list({ actor: 'usr_gone' })).entries[0]).toMatchObject({ actor: gone, actor_name: null });
  expect(await targets({ actor: body.key.id })).toEqual(['volume.create photos_of%2025']);
  expect(await targets({ actor: 'system', action: 'deployment' })).toEqual(['deployment.deploy photos']);
  expect(await targets({ action: 'deployment' })).toEqual(['deployment.deploy photos', 'deployment.delete shop']);
  expect(await targets({ action: 'deployment.delete' })).toEqual(['deployment.delete shop']);
  expect(await targets({ action: '%' })).toEqual([]);
  // What a pattern would mean by them is not meant.
  expect(await targets({ target: 's_o' })).toEqual(['volume.create photos_of%2025']);
  expect(await targets({ target: 'f%2' })).toEqual(['volume.create photos_of%2025']);
  expect(await targets({ since: atMs, target: 'shop' })).toEqual(['deployment.delete shop']);
  expect(await targets({ until: atMs, target: 'shop' })).toEqual([]);
  expect(await targets({ since: atMs, target: 'photos_of' })).toEqual([]);
  const page = await list({ action: 'deployment', limit: '1' });
  const next = await list({ action: 'deployment', limit: '1', page_token: page.next_page_token ?? '' });
  expect([next.entries[0]?.target, next.next_page_token]).toEqual(['shop', null]);
  for (const query of ['since=yesterday', 'limit=0', 'until=2026-02-30T00:00:00Z']) {
    expect((await call('GET', `/v1/user/audit?${query}`, { key })).status).toBe(422);
  }
});

// Fails when `auditPerson` writes to accounts that the person is no member of: their owners would read about a stranger.
test('what a person does to their own sign-in is told to each of their accounts, and to no other', async () => {
  await using fixture = await createAccountFixture();
  const { call, clock, operatorKey, other } = fixture;
  const account = async (name: string) => {
    const user = { email: `${name}@example.org`, password: 'correct horse battery' };
    const { body } = await call('POST', '/v1/admin/accounts', { key: operatorKey, json: { name, user } });
    const signedIn = await call('POST', '/v1/auth/sign-in/email', { json: user });
    return { key: body.key.secret as string, bearer: signedIn.body.token as string };
  };
  const [anns, bobs] = [await account('ann'), await account('bob')];
  const invited = await call('POST', '/v1/user/invites', { key: bobs.key, json: { role: 'member' } });
  const token = invited.body.link.split('#')[1];
  clock.advance(1_000);
  await call('POST', '/v1/user/invites/accept', { bearer: anns.bearer, json: { token } });
  expect((await call('POST', '/v1/user/profile', { bearer: anns.bearer, json: { name: 'Ann Lee' } })).status).toBe(200);
  const renames = async (key: string) => {
    const { body } = await call('GET', '/v1/user/audit?action=person.rename', { key });
    return (body as AuditPage).entries.map(({ actor_name, details }) => [actor_name, details]);
  };
  const expected = [['Ann Lee', { name: 'Ann Lee' }]];
  expect([await renames(anns.key), await renames(bobs.key), await renames(other.key.secret)]).toEqual([
    expected,
    expected,
    [],
  ]);
});

// Fails when a target's kind is taken from its text: a device called like an ID would get somebody's name.
test('a target that is an id has a name, also once it is revoked', async () => {
  await using fixture = await createAccountFixture();
  const { call, clock, db, operatorKey } = fixture;
  const user = { email: 'ann@example.org', name: 'Ann Lee', password: 'correct horse battery' };
  const { body } = await call('POST', '/v1/admin/accounts', { key: operatorKey, json: { name: 'acme', user } });
  const key = body.key.secret as string;
  const made = await call('POST', '/v1/user/keys', { key, json: { name: 'ci', scopes: ['read'] } });
  await call('DELETE', `/v1/user/keys?id=${made.body.id}`, { key });
  const invited = await call('POST', '/v1/user/invites', { key, json: { email: 'bob@example.org' } });
  await call('DELETE', `/v1/user/invites?id=${invited.body.id}`, { key });
  const audit = createAuditLog({ db, clock, ids: createIdSource() });
  const [ann] = await db.selectFrom('auth_users').select('id').where('email', '=', user.email).execute();
  const source = { accountId: body.account.id, actor: { kind: 'key', id: body.key.id } } as const;
  await audit.record({ ...source, action: 'member.change', target: ann?.id ?? '' });
  await audit.record({ ...source, action: 'member.remove', target: 'usr_gone' });
  await audit.record({ ...source, action: 'device.approve', target: ann?.id ?? '' });
  const { body: page } = await call('GET', '/v1/user/audit', { key });
  const named = (page as AuditPage).entries.map(({ action, target_name }) => [action, target_name]);
  expect(Object.fromEntries(named)).toMatchObject({
    ...{ 'account.create': 'acme', 'key.create': 'first key', 'key.revoke': 'ci' },
    ...{ 'member.invite': 'bob@example.org', 'member.uninvite': 'bob@example.org' },
    ...{ 'member.change': 'Ann Lee', 'member.remove': null, 'device.approve': null },
  });
});
