import { Readable } from 'node:stream';
import { createAuditLog } from '@berth/accounts';
import { type AccountFixture, createAccountFixture } from '@berth/accounts/testing';
import { createError } from '@berth/contract';
import { expect, test } from 'vitest';
import { registerBackupRoutes } from './register-backup-routes.ts';

/** The API with backups that are text. */
async function createBackupFixture() {
  const backups = { isBusy: false, made: 0 };
  const fixture: AccountFixture = await createAccountFixture({
    extend: (api) =>
      registerBackupRoutes(api, {
        audit: { record: (record, transaction) => createAuditLog(fixture).record(record, transaction) },
        async createBackup() {
          if (backups.isBusy) throw createError('conflict', 'Another backup is running.');
          backups.made++;
          return Readable.from([Buffer.from('one '), Buffer.from('two')]);
        },
      }),
  });
  return Object.assign(fixture, { backups });
}

// Fails without `isOwnerOnly`: an admin of the operator's account got the secrets of everyone.
test("refuses people of the operator's account who don't own it, and their keys", async () => {
  await using fixture = await createBackupFixture();
  const { api, operatorKey, call, backups } = fixture;
  const join = async (role: string) => {
    const { body: invite } = await call('POST', '/v1/user/invites', { key: operatorKey, json: { role } });
    const person = { name: role, email: `${role}@example.org`, password: 'correct horse battery' };
    const json = { ...person, token: invite.link.split('#')[1] };
    return (await call('POST', '/v1/auth/invites/accept', { json })).body.token as string;
  };
  const download = async (name: string, value: string) =>
    (await api.request('/v1/admin/backup', { headers: { [name]: value } })).status;
  for (const [role, expected] of [
    ['admin', 403],
    ['owner', 200],
  ] as const) {
    const bearer = await join(role);
    const { body: key } = await call('POST', '/v1/user/keys', { bearer, json: { name: role, scopes: ['admin'] } });
    const statuses = [await download('Authorization', `Bearer ${bearer}`), await download('X-API-Key', key.secret)];
    expect([role, ...statuses]).toEqual([role, expected, expected]);
    if (role === 'admin') expect(backups.made).toBe(0);
  }
});

test("streams a backup to the operator's account alone, and writes that down", async () => {
  await using fixture = await createBackupFixture();
  const { api, operatorKey, other, call, backups } = fixture;
  for (const key of [other.key.secret, 'nobody']) {
    const answer = await api.request('/v1/admin/backup', { headers: { 'X-API-Key': key } });
    expect(answer.status).toBe(key === 'nobody' ? 401 : 403);
  }
  const readOnly = await call('POST', '/v1/user/keys', { key: operatorKey, json: { name: 'r', scopes: ['read'] } });
  const weak = await api.request('/v1/admin/backup', { headers: { 'X-API-Key': readOnly.body.secret } });
  expect([weak.status, backups.made]).toEqual([403, 0]);

  const answer = await api.request('/v1/admin/backup', { headers: { 'X-API-Key': operatorKey } });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/zstd']);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(await answer.text()).toBe('one two');
  const { body } = await call('GET', '/v1/user/audit', { key: operatorKey });
  expect(body.entries[0]).toMatchObject({ action: 'platform.backup', target: 'platform' });

  backups.isBusy = true;
  expect((await call('GET', '/v1/admin/backup', { key: operatorKey })).status).toBe(409);
});
