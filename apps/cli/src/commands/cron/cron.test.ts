import { answerJson } from '@berth/client/testing';
import type { ScheduleRow, ScheduleRun } from '@berth/contract';
import { expect, test } from 'vitest';
import { useBerth } from '../../testing/use-berth.ts';

const berth = useBerth();

const attempt = {
  attempt: 1,
  started_at: '2026-01-01T05:00:00.020Z',
  ended_at: '2026-01-01T05:00:02.020Z',
  status: 503,
  error: 'The service responded with 503.',
};
const succeeded: ScheduleRun = {
  id: 'run_1',
  deployment_name: 'app',
  trigger: 'schedule',
  scheduled_at: '2026-01-01T05:00:00.000Z',
  status: 'succeeded',
  attempts: [
    attempt,
    {
      attempt: 2,
      started_at: '2026-01-01T05:00:12.020Z',
      ended_at: '2026-01-01T05:00:13.020Z',
      status: 200,
      error: null,
    },
  ],
  next_attempt_at: null,
  ended_at: '2026-01-01T05:00:13.020Z',
};
const failed: ScheduleRun = {
  ...succeeded,
  id: 'run_2',
  trigger: 'manual',
  status: 'failed',
  attempts: [{ ...attempt, status: null, error: 'The service did not respond: \u001b[31mECONNRESET' }],
};
const row: ScheduleRow = {
  deployment_name: 'app',
  cron: '0 5 * * *',
  timezone: 'Europe/Oslo',
  next_run_at: '2026-01-02T04:00:00.000Z',
  last_run: succeeded,
  is_paused: false,
};

test('ls tells when each is due and how it went', async () => {
  const paused = { ...row, deployment_name: 'off', next_run_at: null, last_run: null, is_paused: true };
  berth.server.on(
    'GET /v1/schedule/list',
    answerJson(200, [row, { ...row, deployment_name: 'new', next_run_at: null, last_run: null }, paused]),
  );
  const { stdout } = await berth.run(['cron', 'ls']);
  expect(stdout.split('\n').map((line) => line.trim().split(/ {2,}/))).toEqual([
    ['NAME', 'SCHEDULE', 'ZONE', 'NEXT', 'LAST', 'STATUS'],
    ['app', '0 5 * * *', 'Europe/Oslo', '2026-01-02 04:00Z', '2026-01-01 05:00Z', 'succeeded'],
    ['new', '0 5 * * *', 'Europe/Oslo', '-', '-', '-'],
    ['off', '0 5 * * *', 'Europe/Oslo', 'paused', '-', '-'],
    [''],
  ]);
  berth.server.on('GET /v1/schedule/list', answerJson(200, []));
  expect((await berth.run(['cron', 'ls'])).stderr).toContain('--schedule');
});

test('history pages until it has what was asked for', async () => {
  berth.server.on('GET /v1/schedule/runs', (exchange) => {
    const isSecond = berth.server.requests.at(-1)?.includes('page_token=next');
    return answerJson(200, { runs: [isSecond ? succeeded : failed], next_page_token: isSecond ? null : 'next' })(
      exchange,
    );
  });
  const { stdout } = await berth.run(['cron', 'history', 'app']);
  expect(stdout.split('\n').map((line) => line.trim().split(/ {2,}/))).toEqual([
    ['DUE', 'STATUS', 'TRIES', 'TOOK', 'BY', 'ANSWER'],
    ['2026-01-01 05:00Z', 'failed', '1', '13s', 'manual', expect.stringContaining('did not respond: ')],
    ['2026-01-01 05:00Z', 'succeeded', '2', '13s', 'schedule', '200'],
    [''],
  ]);
  expect(stdout).not.toContain('\u001b[31m');
  const json = await berth.run(['cron', 'history', 'app', '--limit', '1', '--json']);
  expect(JSON.parse(json.stdout)).toEqual(failed);
  expect(berth.server.requests.at(-1)).toBe('GET /v1/schedule/runs?name=app&limit=1');
  for (const limit of ['0', 'x', '1.5']) {
    expect((await berth.run(['cron', 'history', 'app', '--limit', limit])).code).toBe(2);
  }
});

test('run waits for the end, and fails with the run', async () => {
  const pending: ScheduleRun = { ...failed, id: 'run_3', status: 'pending', attempts: [], ended_at: null };
  for (const [end, code, line] of [
    [{ ...succeeded, id: 'run_3' }, 0, 'succeeded: 200 (2 tries)\n'],
    [{ ...failed, id: 'run_3' }, 1, /^failed: The service did not respond/],
  ] as const) {
    let polls = 0;
    berth.server.on('POST /v1/schedule/run', answerJson(200, pending));
    berth.server.on('GET /v1/schedule/runs', (exchange) =>
      answerJson(200, { runs: [succeeded, polls++ === 0 ? pending : end], next_page_token: null })(exchange),
    );
    const result = await berth.run(['cron', 'run', 'app']);
    expect([result.code, polls]).toEqual([code, 2]);
    expect(result.stdout).toMatch(line);
  }
  const started = await berth.run(['cron', 'run', 'app', '--no-wait', '--json']);
  expect([started.code, JSON.parse(started.stdout)]).toEqual([0, pending]);
  berth.server.on('POST /v1/schedule/run', answerJson(409, { detail: '"app" has no schedule.' }));
  expect((await berth.run(['cron', 'run', 'app'])).stderr).toContain('has no schedule');
});
