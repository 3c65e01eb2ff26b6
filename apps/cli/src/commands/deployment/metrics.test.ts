import { answerJson } from '@berth/client/testing';
import type { Metrics, MetricsPoint } from '@berth/contract';
import { expect, test } from 'vitest';
import { sparkline } from '../../output/sparkline.ts';
import { useBerth } from '../../testing/use-berth.ts';

const berth = useBerth();

/** The beginning of a minute that is `minutes` ago. */
const ago = (minutes: number) => new Date(Math.floor(Date.now() / 60_000 - minutes) * 60_000).toISOString();

const POINT: MetricsPoint = {
  time: ago(3),
  requests: 1_200,
  errors: 3,
  p50_ms: 4.25,
  p95_ms: 20,
  p99_ms: 40,
  instances: 2,
  cold_starts: 1,
  cold_start_ms: { queued: 0.5, scheduled: 1, spawned: 40, port_open: 300, first_byte: 8.5 },
  cpu_seconds: 30,
  memory_bytes: 50 * 2 ** 20,
  memory_max_bytes: 64 * 2 ** 20,
};

test('shows each figure with its last value, the sum or peak, and a chart', async () => {
  const answer: Metrics = {
    step_seconds: 60,
    points: [POINT, { ...POINT, time: ago(1), requests: 34, cpu_seconds: 6 }],
  };
  berth.server.on('GET /v1/deployment/metrics', answerJson(200, answer));
  const { code, stdout, stderr } = await berth.run(['metrics', 'shop']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/requests +0 +1,234 in all/);
  expect(stdout).toMatch(/p50 +0 ms +4\.3 ms at most/);
  expect(stdout).toMatch(/CPU +0\.000 vCPU +0\.500 vCPU at most/);
  expect(stdout).toMatch(/memory, peak +0 B +64 MiB at most/);
  expect(stderr).toContain('350 ms on average: queued 0.5, scheduled 1, spawned 40, port open 300, first byte 8.5');
  const json = await berth.run(['metrics', 'shop', '--json']);
  expect(JSON.parse(json.stdout)).toEqual(answer);
});

test('says when there was nothing, and which windows there are', async () => {
  berth.server.on('GET /v1/deployment/metrics', answerJson(200, { step_seconds: 1_680, points: [] }));
  expect((await berth.run(['metrics', 'shop', '--window', '7d'])).stderr).toContain('in the last 7d');
  const wrong = await berth.run(['metrics', 'shop', '--window', '2h']);
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain('15m, 1h, 6h, 24h, 7d');
  await berth.run(['metrics', 'shop', '--from', '2026-01-01T10:00:00Z', '--to', '2026-01-01T12:00:00+01:00']);
  expect(berth.server.requests.at(-1)).toBe(
    'GET /v1/deployment/metrics?name=shop&from=2026-01-01T10%3A00%3A00.000Z&to=2026-01-01T11%3A00%3A00.000Z',
  );
  for (const flags of [
    ['--from', 'soon'],
    ['--to', '2h'],
    ['--from', '1h', '--window', '1h'],
    ['--from', '1h', '--to', '2h'],
  ]) {
    expect(await berth.run(['metrics', 'shop', ...flags])).toMatchObject({ code: 2, stdout: '' });
  }
});

test('a chart has a bar for each value, the highest of several where there is no room', () => {
  const bars = { bars: [...'0123'] };
  expect(sparkline([0, 1, 2, 3], bars, 10)).toBe('0123');
  expect(sparkline([0, 0, 0, 9, 0, 3], bars, 3)).toBe('031');
  expect(sparkline([0, 0], bars, 10)).toBe('00');
  expect(sparkline([], bars, 10)).toBe('');
});

test('activity of all deployments, with what is not counted yet said', async () => {
  const [requests, errors] = [
    [0, 4, 2],
    [0, 1, 0],
  ];
  const start = '2026-01-01T00:00:00.000Z';
  const answer = { start, step_seconds: 60, is_complete: false, deployments: [{ name: 'api', requests, errors }] };
  berth.server.on('GET /v1/activity', answerJson(200, answer));
  const { code, stdout, stderr } = await berth.run(['activity']);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/api +6 +1 /)]);
  expect(stderr).toContain('still being counted');
  expect(berth.server.requests.at(-1)).toBe('GET /v1/activity?window=1h');
  // What is complete a moment later is waited for.
  let asked = 0;
  berth.server.on('GET /v1/activity', (exchange) => answerJson(200, { ...answer, is_complete: ++asked > 1 })(exchange));
  expect((await berth.run(['activity'])).stderr).toBe('');
  expect(await berth.run(['activity', '--window', '1y'])).toMatchObject({ code: 2 });
});
