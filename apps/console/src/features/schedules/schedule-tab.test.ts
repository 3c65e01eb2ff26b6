// @vitest-environment happy-dom
import { createError, type DeploymentDetail } from '@berth/contract';
import { createElement } from 'react';
import { describe, expect, test } from 'vitest';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { createDeployment } from '../../testing/create-deployment.ts';
import { createFakeRun } from '../../testing/create-fake-run.ts';
import { openView } from '../../testing/open-view.ts';
import { ScheduleTab } from './schedule-tab.tsx';

const schedule = { cron: '0 4 * * *', timezone: 'Asia/Dubai' };
const attempt = { started_at: '2026-01-01T00:00:00Z', ended_at: '2026-01-01T00:00:01Z', status: 200, error: null };
const past = { id: 'run_1', scheduled_at: '2026-01-01T00:00:00Z', status: 'succeeded', attempts: [attempt] };

async function open(changes: Partial<DeploymentDetail> = {}, scopes = ['read', 'deploy'], begun = createFakeRun()) {
  const page = await openView(createElement(ScheduleTab, { deployment: createDeployment(changes) }), {
    cached: [[QUERY_KEYS.user, { role: 'member', scopes, account: { id: 'acc_1', name: 'Acme' } }]],
    answers: { 'GET /v1/schedule/runs': () => ({ runs: [past], next_page_token: null }) },
    deployRun: begun.run,
    methods: { redeploy: (name: string, settings: object) => ['redeploy', name, settings] },
  });
  const upcoming = () => page.all('listitem').map(({ textContent }) => textContent);
  return { ...page, ...begun, upcoming };
}

const saved = (settings: object) => [['begin', 'shop', ['redeploy', 'shop', settings]]];

describe('a schedule', () => {
  // Fails when the tab only shows it, so that it has to be looked for in the settings.
  test('is changed on its own tab, with its next runs while it is typed', async () => {
    const { type, clickOn, done, upcoming } = await open({ schedule });
    expect(upcoming()[0]).toMatch(/at 4:00\sAM$/);
    await type('Schedule', '30 5 * * *');
    expect(upcoming()[0]).toMatch(/at 5:30\sAM$/);
    await clickOn('Save schedule');
    expect(done).toEqual(saved({ schedule: { cron: '30 5 * * *', timezone: 'Asia/Dubai' } }));
  });

  test('is added where there is none, and removed', async () => {
    const { clickOn, type, done, text } = await open();
    expect(text()).toContain('No schedule');
    await clickOn('Add schedule');
    await type('Schedule', '0 4 * * *');
    await clickOn('Save schedule');
    expect(done).toEqual(saved({ schedule: { cron: '0 4 * * *', timezone: 'UTC' } }));
  });

  test('is removed when its expression is emptied', async () => {
    const { clickOn, type, done } = await open({ schedule });
    await type('Schedule', '');
    await clickOn('Remove schedule');
    expect(done).toEqual(saved({ schedule: null }));
  });

  // Fails when a wrong zone marks the expression, or shows the server's name of the field.
  test('with a wrong time zone says so at the time zone', async () => {
    const issues = [{ loc: ['body', 'schedule', 'timezone'], msg: '"Mars" is not an IANA time zone' }];
    const error = createError('invalid', 'schedule.timezone: wrong', { details: { issues } });
    const { type, clickOn, change, until, field, text } = await open({ schedule });
    await type('Time zone', 'Mars');
    await clickOn('Save schedule');
    await change({ phase: 'refused', error });
    await until(() => expect(field('Time zone').getAttribute('aria-invalid')).toBe('true'));
    expect(field('Schedule').getAttribute('aria-invalid')).toBeNull();
    expect([text().includes('Unknown time zone “Mars”.'), text().includes('timezone:')]).toEqual([true, false]);
  });

  test('can be looked at without the right to deploy', async () => {
    const { controls, field } = await open({ schedule }, ['read']);
    expect(field('Schedule').closest('fieldset')?.disabled).toBe(true);
    expect(controls().filter((name) => /Save|Run now/.test(name))).toEqual([]);
  });
});

// Fails when the next runs are in the schedule's zone and the history in the browser's.
test('next runs and history are in one zone, which can be chosen', async () => {
  const { rows, upcoming, choose, text } = await open({ schedule });
  expect(text()).toContain('Next runs (Asia/Dubai)');
  expect(rows('Run history')[0]?.[0]).toMatch(/January 1, 2026 at 4:00\sAM$/);
  await choose('Show times in', /^UTC/);
  expect(text()).toContain('Next runs (UTC)');
  expect(rows('Run history')[0]?.[0]).toMatch(/January 1, 2026 at 12:00\sAM$/);
  expect(upcoming()[0]).toMatch(/at 12:00\sAM$/);
});
