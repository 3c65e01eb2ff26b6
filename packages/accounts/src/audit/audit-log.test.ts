import type { AuditPage } from '@berth/contract';
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
  await record({ action: 'deployment.create', target: 'photos', ...SYSTEM_SOURCE });
  await record({ action: 'deploymentx.create', target: 'photos', ...SYSTEM_SOURCE });
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
  expect(await targets({ actor: 'system', action: 'deployment' })).toEqual(['deployment.create photos']);
  expect(await targets({ action: 'deployment' })).toEqual(['deployment.create photos', 'deployment.delete shop']);
  expect(await targets({ action: 'deployment.delete' })).toEqual(['deployment.delete shop']);
  expect(await targets({ action: '%' })).toEqual([]);
  // What a pattern would mean by them is not meant.
  expect(await targets({ target: 's_o' })).toEqual(['volume.create photos_of%2025']);
  expect(await targets({ target: 'f%2' })).toEqual(['volume.create photos_of%2025']);
  expect(await targets({ since: atMs, target: 'shop' })).toEqual(['deployment.delete shop']);
  expect(await targets({ until: atMs, target: 'shop' })).toEqual([]);
  const page = await list({ action: 'deployment', limit: '1' });
  const next = await list({ action: 'deployment', limit: '1', page_token: page.next_page_token ?? '' });
  expect([next.entries[0]?.target, next.next_page_token]).toEqual(['shop', null]);
  for (const query of ['since=yesterday', 'limit=0', 'until=2026-02-30T00:00:00Z']) {
    expect((await call('GET', `/v1/user/audit?${query}`, { key })).status).toBe(422);
  }
});
