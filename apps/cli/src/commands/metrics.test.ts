import { answerJson } from '@berth/client/testing';
import type { Metrics, MetricsPoint } from '@berth/contract';
import { expect, test } from 'vitest';
import { sparkline } from '../output/sparkline.ts';
import { useBerth } from '../testing/use-berth.ts';

const berth = useBerth();

/** The beginning of a minute that is `minutes` ago. */
const ago = (minutes: number) => new Date(Math.floor(Date.now() / 60_000 - minutes) * 60_000).toISOString();

const POINT: MetricsPoint = {
  ...{ time: ago(3), requests: 1_200, errors: 3, p50_ms: 4.25, p95_ms: 20, p99_ms: 40, instances: 2, cold_starts: 1 },
  ...{ cpu_seconds: 30, memory_bytes: 50 * 2 ** 20, memory_max_bytes: 64 * 2 ** 20 },
};

test('shows each figure with its last value, the sum or peak, and a chart', async () => {
  const answer: Metrics = {
    step_seconds: 60,
    points: [POINT, { ...POINT, time: ago(1), requests: 34, cpu_seconds: 6 }],
  };
  berth.server.on('GET /v1/deployment/metrics', answerJson(200, answer));
  const { code, stdout } = await berth.run(['metrics', 'shop']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/requests +0 +1,234 in all/);
  expect(stdout).toMatch(/p50 +0 ms +4\.3 ms at most/);
  expect(stdout).toMatch(/CPU +0\.000 vCPU +0\.500 vCPU at most/);
  expect(stdout).toMatch(/memory, peak +0 B +64 MiB at most/);
  const json = await berth.run(['metrics', 'shop', '--json']);
  expect(JSON.parse(json.stdout)).toEqual(answer);
});

test('says when there was nothing, and which windows there are', async () => {
  berth.server.on('GET /v1/deployment/metrics', answerJson(200, { step_seconds: 1_680, points: [] }));
  expect((await berth.run(['metrics', 'shop', '--window', '7d'])).stderr).toContain('in the last 7d');
  const wrong = await berth.run(['metrics', 'shop', '--window', '2h']);
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain('15m, 1h, 6h, 24h, 7d');
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
  expect(await berth.run(['activity', '--window', '1y'])).toMatchObject({ code: 2 });
});
