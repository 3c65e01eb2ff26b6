import type { ControlPaths } from '@berth/client';
import { createFakeCalls } from '@berth/client/testing';
import type { AuditEntry, AuditPage, AuditQuery } from '@berth/contract';
import { expect, test } from 'vitest';
import { isNarrow, parseAuditView, toAuditCommands, toAuditQuery, toAuditSearch } from './audit-view.ts';
import { exportAudit } from './export-audit.ts';

const NOW_MS = Date.parse('2026-01-02T00:00:00Z');

test.each([
  {},
  { actor: 'usr_1', action: 'key.create', target: 'a b', range: '7d', entry: 'aud_1' },
  { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' },
])('%j comes back as it was', (search) => {
  expect(toAuditSearch(parseAuditView(search))).toEqual(search);
});

test('a view gives the API query and the CLI command', () => {
  const view = parseAuditView({ actor: 'system', target: "o'x", range: '24h' });
  expect(toAuditQuery(view, NOW_MS)).toEqual({ actor: 'system', target: "o'x", since: '2026-01-01T00:00:00.000Z' });
  const { cli, http } = toAuditCommands(view, NOW_MS, (text) => `'${text}'`);
  expect(cli).toBe("npx berth audit --actor 'system' --target 'o'x' --since 24h");
  expect(http.path).toBe('/v1/user/audit?actor=system&target=o%27x&since=2026-01-01T00%3A00%3A00.000Z');
  const between = parseAuditView({ from: '2026-01-01T00:00:00Z', to: '2026-01-01T12:00:00Z' });
  expect(toAuditQuery(between, NOW_MS)).toEqual({
    since: '2026-01-01T00:00:00.000Z',
    until: '2026-01-01T12:00:00.000Z',
  });
  expect(toAuditCommands(parseAuditView({}), NOW_MS, String).http.path).toBe('/v1/user/audit');
  expect([isNarrow(view), isNarrow(parseAuditView({ entry: 'aud_1' }))]).toEqual([true, false]);
});

test('exports all pages as one file', async () => {
  const entry = (n: number): AuditEntry => ({
    id: `aud_${n}`,
    time: '2026-01-01T00:00:00Z',
    action: 'key.create',
    target: `a,"${n}"`,
    request_id: null,
    actor: { kind: 'session', id: 'usr_1' },
    actor_name: 'Ada',
    details: { n },
  });
  const asked: AuditQuery[] = [];
  const client = createFakeCalls<ControlPaths>({
    'GET /v1/user/audit': ({ query }): AuditPage => {
      asked.push(query);
      return { entries: [entry(asked.length)], next_page_token: asked.length < 3 ? String(asked.length) : null };
    },
  });
  const lines: number[] = [];
  const signal = new AbortController().signal;
  const csv = await exportAudit(client, { action: 'key' }, { onProgress: (count) => lines.push(count), signal });
  expect(csv.split('\n').slice(0, 2)).toEqual([
    'time,action,target,actor_kind,actor_id,actor_name,request_id,details,id',
    '2026-01-01T00:00:00Z,key.create,"a,""1""",session,usr_1,Ada,,"{""n"":1}",aud_1',
  ]);
  expect([lines, asked.map(({ page_token }) => page_token)]).toEqual([
    [1, 2, 3],
    [undefined, '1', '2'],
  ]);
});
