import type { ScheduleRow, ScheduleRun } from '@berth/contract';
import { describe, expect, it } from 'vitest';
import { verifies } from '../conformance/verifies.ts';
import { cli } from '../harness/cli.ts';
import { deployed } from '../harness/deploy.ts';
import { expectError } from '../harness/error-body.ts';
import { uniqueName } from '../harness/names.ts';
import { probe } from '../harness/project-files.ts';
import { readLogs } from '../harness/read-logs.ts';
import { request } from '../harness/request.ts';
import { readRuns, runSchedule } from '../harness/schedules.ts';
import { useBerth } from '../harness/use-berth.ts';

const berth = useBerth();

/** Not due while this runs. */
const SELDOM = { schedule: '{"cron":"30 2 29 2 *","timezone":"Europe/Oslo"}' };

interface CronCall {
  readonly at: number;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const callsOf = async (name: string) => (await request(berth, name, '/cron-calls')).json<readonly CronCall[]>();

/** A service with a schedule; `env` is set before its first deploy. */
async function scheduled(env: Record<string, string> = {}, fields: Record<string, string> = {}): Promise<string> {
  const name = uniqueName('cron');
  await berth.post('/v1/env/set', { deployment_name: name, set: { PROBE: '1', ...env } });
  await deployed(berth, name, { files: probe(), fields: { ...SELDOM, ...fields } });
  return name;
}

describe('a fire', () => {
  it('is a POST /cron with the token and nothing else, and is in the log as a request', async () => {
    verifies('cron.request', 'cron.scheduled-time', 'cron.logged');
    const name = await scheduled();
    const run = await runSchedule(berth, name);
    expect(run).toMatchObject({ trigger: 'manual', status: 'succeeded', attempts: [{ attempt: 1, status: 200 }] });
    const [call, ...others] = await callsOf(name);
    expect(others).toEqual([]);
    const { CRON_TOKEN } = (await request(berth, name, '/env')).json<Record<string, string>>();
    expect(call).toMatchObject({ method: 'POST', body: '' });
    expect(call?.headers).toMatchObject({
      host: `${name}.localhost:${berth.port}`,
      'x-cron-token': CRON_TOKEN,
      'x-cron-attempt': '1',
      'x-cron-scheduled-time': run.scheduled_at,
      'content-length': '0',
    });
    expect(Object.keys(call?.headers ?? {}).filter((header) => header.startsWith('berth'))).toEqual([]);
    const { logs } = await readLogs(berth, name);
    expect(logs.filter((entry) => JSON.stringify(entry).includes('/cron'))).not.toEqual([]);
    expect(JSON.stringify(logs)).not.toContain(CRON_TOKEN);
  });

  it('that fails is tried again', async () => {
    verifies('cron.retry');
    const name = await scheduled({ FAIL_FIRST_CRON: '1' });
    const run = await runSchedule(berth, name);
    expect(run).toMatchObject({
      status: 'succeeded',
      attempts: [
        { attempt: 1, status: 500, error: 'The service responded with 500.' },
        { attempt: 2, status: 200, error: null },
      ],
    });
    const calls = await callsOf(name);
    expect(calls.map(({ headers }) => headers['x-cron-attempt'])).toEqual(['1', '2']);
    expect((calls[1]?.at ?? 0) - (calls[0]?.at ?? 0)).toBeGreaterThan(8_000);
  });

  it('may take longer than the timeout of its service, and beside others', async () => {
    verifies('cron.overlap');
    const name = await scheduled({ CRON_MS: '3000' }, { timeout: '1' });
    const runs = await Promise.all([runSchedule(berth, name), runSchedule(berth, name)]);
    expect(runs.map((run) => run.status)).toEqual(['succeeded', 'succeeded']);
    const [one, two] = await callsOf(name);
    expect(Math.abs((two?.at ?? 0) - (one?.at ?? 0))).toBeLessThan(3_000);
    // No one else can have that: who asks is not who says so.
    const headers = { 'berth-timeout': `60000.${Date.now() + 60_000}.${'A'.repeat(43)}` };
    expect((await request(berth, name, '/sleep?ms=3000', { headers })).status).toBe(504);
  });
});

describe('the command line', () => {
  it('lists schedules, runs one, and shows its history', async () => {
    const name = await scheduled();
    expect((await cli(berth, ['cron', 'run', name])).stdout).toBe('succeeded: 200 (1 try)\n');
    const list = await cli(berth, ['cron', 'ls']);
    expect(list.stdout).toMatch(new RegExp(`${name} +30 2 29 2 \\* +Europe/Oslo +\\d{4}-02-29 01:30Z .* succeeded`));
    const history = await cli(berth, ['cron', 'history', name]);
    expect(history.stdout).toMatch(/\nsucceeded|succeeded +1 +.*manual +200/);
    const rows = JSON.parse((await cli(berth, ['cron', 'ls', '--json'])).stdout) as ScheduleRow[];
    const row = rows.find((one) => one.deployment_name === name);
    expect(row?.last_run).toEqual((await readRuns(berth, name))[0] as ScheduleRun);
  });

  it('says what to do without a schedule', async () => {
    const name = uniqueName('plain');
    await deployed(berth, name, { files: probe() });
    const run = await cli(berth, ['cron', 'run', name]);
    expect([run.code, run.stderr]).toEqual([expect.any(Number), expect.stringContaining('has no schedule')]);
    expect(await expectError(await berth.post('/v1/schedule/run', { name }), 409)).toContain('has no schedule');
    expect((await cli(berth, ['cron', 'history', name])).stderr).toContain('has not run yet');
  });
});

describe('a deploy', () => {
  it('without a schedule removes it; a rollback brings it back', async () => {
    const name = await scheduled();
    const isScheduled = async () =>
      ((await (await berth.api('/v1/schedule/list')).json()) as ScheduleRow[]).some(
        (row) => row.deployment_name === name,
      );
    expect(await isScheduled()).toBe(true);
    const { events } = await deployed(berth, name, { files: probe() });
    expect(events.map((event) => event.message)).toContain('Schedule removed: 30 2 29 2 * (Europe/Oslo)');
    expect(await isScheduled()).toBe(false);
    await (await berth.post('/v1/deployment/rollback', { name })).text();
    expect(await isScheduled()).toBe(true);
    await berth.post('/v1/deployment/delete', { name });
    expect(await isScheduled()).toBe(false);
    expect((await berth.api(`/v1/schedule/runs?name=${name}`)).status).toBe(404);
  });
});
