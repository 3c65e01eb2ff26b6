import { answerJson } from '@berth/client/testing';
import { expect, test } from 'vitest';
import { useBerth } from '../../testing/use-berth.ts';

const berth = useBerth();
const ALERT = {
  ...{ id: 'alr_1', title: 'Errors', deployment_name: null, emails: ['a@b.c'], webhook_url: null, is_enabled: true },
  condition: { type: 'error_rate', percent: 5, min_requests: 10, window_seconds: 300 },
  firing: [{ deployment_name: 'shop', since: '2026-01-01T00:00:00Z' }],
};

test('an alert is created from flags, and only its secret is on standard output', async () => {
  const { server, run } = berth;
  let sent: unknown;
  server.on('POST /v1/alerts', async (exchange) => {
    sent = await exchange.json();
    await answerJson(200, { ...ALERT, webhook_secret: 'whsec_x' })(exchange);
  });
  const words = ['Errors', '--on', 'error_rate', '--percent', '5', '--window', '300', '--webhook', 'https://x.example'];
  const made = await run(['alerts', 'create', ...words, '--email', 'a@b.c', '--email', 'd@e.f']);
  expect([made.stdout, sent]).toEqual([
    'whsec_x\n',
    {
      title: 'Errors',
      condition: { type: 'error_rate', percent: 5, window_seconds: 300 },
      emails: ['a@b.c', 'd@e.f'],
      webhook_url: 'https://x.example',
    },
  ]);
});

test('alerts are listed with their state, and changed field by field', async () => {
  const { server, run } = berth;
  server.on('GET /v1/alerts', answerJson(200, [ALERT]));
  const { stdout } = await run(['alerts', 'ls']);
  for (const part of ['errors > 5 % over 5m', 'firing: shop', 'all', 'a@b.c']) expect(stdout).toContain(part);
  let sent: unknown;
  server.on('POST /v1/alerts/update', async (exchange) => {
    sent = await exchange.json();
    await answerJson(200, { ...ALERT, webhook_secret: null })(exchange);
  });
  await run(['alerts', 'update', 'alr_1', '--disable', '--webhook', 'none']);
  expect(sent).toEqual({ id: 'alr_1', webhook_url: null, is_enabled: false });
});

test.each([
  [['create', 'x'], '--on'],
  [['create', 'x', '--percent', '5'], '--on'],
  [['create', 'x', '--on', 'budget', '--amount', 'lots'], '--amount must be a number'],
  [['update', 'alr_1', '--enable', '--disable'], '--enable or --disable'],
])('alerts %j says what is missing', async (words, text) => {
  const { code, stderr } = await berth.run(['alerts', ...words]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(text)]);
});
