import { answerJson } from '@berth/client/testing';
import { expect, test } from 'vitest';
import { useBerth } from '../../testing/use-berth.ts';

const berth = useBerth();

test('what was done is listed page by page, with who did it', async () => {
  const entry = (id: string, actor: object, actor_name: string | null) => ({
    id,
    time: '2026-01-01T00:00:00Z',
    actor,
    actor_name,
    action: 'key.create',
    target: `key_${id}`,
    details: {},
    request_id: null,
  });
  const asked: string[] = [];
  berth.server.on('GET /v1/user/audit', async (exchange) => {
    const query = new URL(exchange.request.url ?? '', 'http://a').search;
    asked.push(query);
    const isFirst = !query.includes('page_token');
    const entries = isFirst
      ? [entry('1', { kind: 'session', id: 'usr_1' }, 'Ada')]
      : [entry('2', { kind: 'system', id: null }, null)];
    await answerJson(200, { entries, next_page_token: isFirst ? '1' : null })(exchange);
  });
  const { code, stdout } = await berth.run(['audit', '--action', 'key', '--since', '2026-01-01T00:00:00Z']);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/key_1 +session Ada \(usr_1\)\n.*key_2 +system/)]);
  expect(asked).toEqual([
    '?action=key&since=2026-01-01T00%3A00%3A00Z&limit=100',
    '?action=key&since=2026-01-01T00%3A00%3A00Z&limit=99&page_token=1',
  ]);
  expect(await berth.run(['audit', '--limit', 'many'])).toMatchObject({ code: 2 });
});
