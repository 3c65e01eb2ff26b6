// @vitest-environment happy-dom
import { type Alert, createError } from '@berth/contract';
import { createElement } from 'react';
import { describe, expect, test } from 'vitest';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { type OpenSetup, OWNER, openView, say } from '../../testing/open-view.ts';
import { AlertsPage } from './alerts-page.tsx';

const LIST = 'GET /v1/alerts';
const CREATE = 'POST /v1/alerts';
const UPDATE = 'POST /v1/alerts/update';
const TEST = 'POST /v1/alerts/test';
const REMOVE = 'DELETE /v1/alerts';
const HISTORY = 'GET /v1/alerts/history';
const SECRET = 'whsec_0123456789';

const ALERT: Alert = {
  ...{ id: 'alr_1', title: 'Errors', deployment_name: null, webhook_url: 'https://hooks.example.com/berth' },
  condition: { type: 'error_rate', percent: 5, min_requests: 10, window_seconds: 300 },
  ...{ emails: ['ann@example.com'], resolve_after_seconds: 300, is_enabled: true, created_at: '2026-01-01T00:00:00Z' },
  firing: [{ deployment_name: 'shop', since: '2026-01-01T00:00:00Z' }],
};
const EVENT = {
  ...{ id: 'alv_1', alert_id: 'alr_1', title: 'Errors', kind: 'firing', deployment_name: 'shop' },
  ...{ message: '7 of 10 requests to shop failed.', time: '2026-01-01T00:00:00Z' },
  deliveries: [
    { channel: 'webhook', target: 'https://hooks.example.com', state: 'dead', attempts: 5, last_error: 'status 500' },
  ],
};

async function open(answers: OpenSetup['answers'] = {}) {
  return openView(createElement(AlertsPage), {
    cached: [[QUERY_KEYS.user, OWNER]],
    answers: {
      [LIST]: () => [ALERT],
      [HISTORY]: () => [EVENT],
      'GET /v1/deployment/list': () => [],
      [CREATE]: () => ({ ...ALERT, webhook_secret: SECRET }),
      [UPDATE]: () => ({ ...ALERT, webhook_secret: null }),
      [TEST]: () => ({ id: 'alv_2' }),
      [REMOVE]: () => ({ detail: 'removed' }),
      ...answers,
    },
  });
}

test('alerts are listed with what they wait for, and what became of their notifications', async () => {
  const view = await open();
  for (const text of [
    say('alerts.is.error_rate', { limit: '5' }),
    say('alerts.firing'),
    'ann@example.com',
    '7 of 10 requests to shop failed.',
    'status 500',
  ]) {
    expect(view.text()).toContain(text);
  }
});

describe('a new alert', () => {
  // Fails when a limit is sent as text, an address is lost, or the secret isn't shown.
  test('has the limit and the channels that were typed, and its secret is shown', async () => {
    const view = await open();
    await view.click(view.get('button', say('alerts.create')));
    await view.fill(view.field(say('alerts.limit.error_rate')), '2.5');
    await view.fill(view.field(say('alerts.emails')), 'ann@example.com, bob@example.com');
    await view.fill(view.field(say('alerts.webhook')), 'https://hooks.example.com/berth');
    await view.press('Enter');
    expect(view.sent(CREATE)).toEqual([
      {
        title: say('alerts.on.error_rate'),
        condition: { type: 'error_rate', percent: 2.5 },
        deployment_name: null,
        emails: ['ann@example.com', 'bob@example.com'],
        webhook_url: 'https://hooks.example.com/berth',
      },
    ]);
    expect(view.text()).toContain(SECRET);
  });

  test('that is refused keeps the form, with the reason', async () => {
    const view = await open({
      [CREATE]: () => {
        throw createError('not_available', 'This platform sends no e-mail. Use a webhook.');
      },
    });
    await view.click(view.get('button', say('alerts.create')));
    await view.fill(view.field(say('alerts.emails')), 'ann@example.com');
    await view.press('Enter');
    expect(view.text()).toContain('This platform sends no e-mail.');
    expect(view.field(say('alerts.emails')).value).toBe('ann@example.com');
  });
});

test('an alert is tested, disabled and, after a question, removed', async () => {
  const view = await open();
  await view.click(view.get('button', say('alerts.test')));
  await view.click(view.get('button', say('alerts.disable')));
  await view.click(view.get('button', say('alerts.remove')));
  expect(view.sent(REMOVE)).toEqual([]);
  await view.click(view.get('button', say('alerts.remove')));
  expect(view.sent(REMOVE)).toHaveLength(1);
  expect([view.sent(TEST), view.sent(UPDATE)]).toEqual([[{ id: 'alr_1' }], [{ id: 'alr_1', is_enabled: false }]]);
});

test('a person without the right to deploy sees alerts and can change none', async () => {
  const view = await openView(createElement(AlertsPage), {
    cached: [[QUERY_KEYS.user, { ...OWNER, role: 'member', scopes: ['read'] }]],
    answers: { [LIST]: () => [ALERT], [HISTORY]: () => [] },
  });
  expect(view.text()).toContain('Errors');
  expect(view.find('button', say('alerts.create'))).toBeUndefined();
  expect(view.find('button', say('alerts.remove'))).toBeUndefined();
});
