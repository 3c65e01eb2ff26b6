import { Readable } from 'node:stream';
import { createError } from '@berth/contract';
import { expect, test } from 'vitest';
import { createAuditLog } from '../accounts/audit-log.ts';
import { createAccountFixture } from '../testing/account-fixture.ts';
import { registerBackupRoutes } from './register-backup-routes.ts';

test("streams a backup to the operator's account alone, and writes that down", async () => {
  let isBusy = false;
  let made = 0;
  await using fixture = await createAccountFixture({
    extend: (api) =>
      registerBackupRoutes(api, {
        audit: { record: (record, transaction) => createAuditLog(fixture).record(record, transaction) },
        async createBackup() {
          if (isBusy) throw createError('conflict', 'Another backup is being made.');
          made++;
          return Readable.from([Buffer.from('one '), Buffer.from('two')]);
        },
      }),
  });
  const { api, operatorKey, other, call } = fixture;
  for (const key of [other.key.secret, 'nobody']) {
    const answer = await api.request('/v1/admin/backup', { headers: { 'X-API-Key': key } });
    expect(answer.status).toBe(key === 'nobody' ? 401 : 403);
  }
  const readOnly = await call('POST', '/v1/user/keys', { key: operatorKey, json: { name: 'r', scopes: ['read'] } });
  const weak = await api.request('/v1/admin/backup', { headers: { 'X-API-Key': readOnly.body.secret } });
  expect([weak.status, made]).toEqual([403, 0]);

  const answer = await api.request('/v1/admin/backup', { headers: { 'X-API-Key': operatorKey } });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/zstd']);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(await answer.text()).toBe('one two');
  const { body } = await call('GET', '/v1/user/audit', { key: operatorKey });
  expect(body.entries[0]).toMatchObject({ action: 'platform.backup', target: 'platform' });

  isBusy = true;
  expect((await call('GET', '/v1/admin/backup', { key: operatorKey })).status).toBe(409);
});
