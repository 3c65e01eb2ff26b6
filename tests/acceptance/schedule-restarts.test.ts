import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ScheduleRun } from '@berth/contract';
import { expect, it } from 'vitest';
import { verifies } from '../conformance/verifies.ts';
import { createBerth } from '../harness/berth.ts';
import { deployed } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { probe } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';
import { readRuns } from '../harness/schedules.ts';
import { useBerth } from '../harness/use-berth.ts';
import { waitFor } from '../harness/wait-for.ts';

const berth = useBerth();

const MINUTE = 60_000;

it('a schedule of every minute fires each of them over a kill -9 and a restart, cold', {
  timeout: 300_000,
}, async () => {
  verifies('cron.request', 'cron.downtime');
  const name = uniqueName('minutely');
  await deployed(berth, name, { files: probe(), fields: { schedule: '* * * * *' } });
  const succeeded = (count: number): Promise<readonly ScheduleRun[]> =>
    waitFor(
      `${count} runs have succeeded`,
      async () => {
        const runs = (await readRuns(berth, name)).filter((run) => run.status === 'succeeded');
        return runs.length >= count ? runs : undefined;
      },
      { timeoutMs: 90_000, everyMs: 250 },
    );
  await succeeded(1);
  await berth.kill9();
  await berth.start();
  await succeeded(2);
  await berth.stop();
  await berth.start();
  const runs = await succeeded(3);

  const due = runs.map((run) => Date.parse(run.scheduled_at)).sort();
  expect(due.every((at) => at % MINUTE === 0)).toBe(true);
  // Each minute, and none twice.
  expect(due.map((at) => (at - (due[0] as number)) / MINUTE)).toEqual(due.map((_at, index) => index));
  for (const { scheduled_at, attempts } of runs) {
    const lateMs = Date.parse(attempts[0]?.started_at ?? '') - Date.parse(scheduled_at);
    expect(lateMs).toBeGreaterThanOrEqual(0);
    // It was due while the server was down, or begins at its minute.
    expect(lateMs).toBeLessThan(30_000);
  }
});

// Fails when `--schedules` is not looked at before schedules are started.
it('a server that is started with --schedules false calls nothing; the next start without it does', async () => {
  const dataFolder = mkdtempSync(path.join(tmpdir(), 'berth-quiet-'));
  const name = uniqueName('quiet');
  await using quiet = createBerth({ hasGeneratedKey: true, dataFolder, args: ['--schedules', 'false'] });
  await quiet.start();
  await deployed(quiet, name, { files: probe(), fields: { schedule: '30 2 29 2 *' } });
  expect(await quiet.post('/v1/schedule/run', { name })).toMatchObject({ ok: true });
  expect((await request(quiet, name, '/cron-calls')).json()).toEqual([]);
  expect(await readRuns(quiet, name)).toMatchObject([{ status: 'pending', attempts: [] }]);
  await quiet.stop();

  await using loud = createBerth({ hasGeneratedKey: true, dataFolder });
  const startedMs = Date.now();
  await loud.start();
  const run = await waitFor('the run has succeeded', async () =>
    (await readRuns(loud, name)).find(({ status }) => status === 'succeeded'),
  );
  // None before, which the stop of the first server may have cut short.
  expect(run.attempts.map(({ started_at }) => Date.parse(started_at) >= startedMs)).toEqual([true]);
});
