import { scheduleRowSchema, scheduleRunSchema, scheduleRunsSchema } from '@berth/contract';
import type { AccountId } from '@berth/kit';
import { ACCESS_CREDENTIALS, type AccessSample, runAccessMatrix } from '@berth/testkit';
import { z } from '@hono/zod-openapi';
import { describe, expect, it } from 'vitest';
import { createScheduleFixture } from './testing/schedule-fixture.ts';

const MINUTE = 60_000;
const EACH_MINUTE = { cron: '* * * * *', timezone: 'UTC' };
const DAILY = { cron: '0 5 * * *', timezone: 'Europe/Oslo' };

describe('GET /v1/schedule/list', () => {
  it('is when each is due, and how it last went', async () => {
    await using fixture = await createScheduleFixture();
    await fixture.deploy('quiet', DAILY);
    await fixture.deploy('busy', EACH_MINUTE);
    await fixture.deploy('theirs', EACH_MINUTE, 'acc_bob' as AccountId);
    const worker = fixture.boot(() => 500);
    await fixture.clock.elapse(MINUTE);
    const { status, body } = await fixture.call(worker, 'GET', '/v1/schedule/list');
    expect(status).toBe(200);
    expect(z.array(scheduleRowSchema.strict()).parse(body)).toMatchObject([
      {
        deployment_name: 'busy',
        ...EACH_MINUTE,
        next_run_at: '2026-01-01T00:02:00.000Z',
        last_run: { status: 'pending', next_attempt_at: '2026-01-01T00:01:10.000Z', attempts: [{ status: 500 }] },
      },
      { deployment_name: 'quiet', ...DAILY, next_run_at: '2026-01-01T04:00:00.000Z', last_run: null },
    ]);
  });
});

describe('GET /v1/schedule/runs', () => {
  it('pages through the history, newest first', async () => {
    await using fixture = await createScheduleFixture();
    await fixture.deploy('app', EACH_MINUTE);
    const worker = fixture.boot();
    await fixture.clock.elapse(5 * MINUTE);
    const seen: string[] = [];
    let token: string | null = '';
    while (token !== null) {
      const more: string = token === '' ? '' : `&page_token=${token}`;
      const { body } = await fixture.call(worker, 'GET', `/v1/schedule/runs?name=app&limit=2${more}`);
      const page = scheduleRunsSchema.strict().parse(body);
      seen.push(...page.runs.map((run) => run.scheduled_at.slice(14, 16)));
      token = page.next_page_token;
    }
    expect(seen).toEqual(['05', '04', '03', '02', '01']);
  });

  it('keeps as many as it is told to', async () => {
    await using fixture = await createScheduleFixture();
    await fixture.deploy('app', EACH_MINUTE);
    fixture.boot(undefined, { keptRuns: 20 });
    await fixture.clock.elapse(30 * MINUTE);
    const count = await fixture.db.selectFrom('schedule_runs').select('id').execute();
    // And the one that is the newest while the others are counted.
    expect(count).toHaveLength(21);
    const attempts = await fixture.db.selectFrom('schedule_attempts').select('run_id').execute();
    expect(attempts).toHaveLength(21);
  });

  it('names what is wrong with its query', async () => {
    await using fixture = await createScheduleFixture();
    const worker = fixture.boot();
    for (const [query, loc] of [
      ['', 'name'],
      ['?name=app&limit=0', 'limit'],
      ['?name=app&limit=201', 'limit'],
      ['?name=app&limit=x', 'limit'],
    ] as const) {
      const { status, body } = await fixture.call(worker, 'GET', `/v1/schedule/runs${query}`);
      expect([query, status, body.detail[0].loc]).toEqual([query, 422, ['query', loc]]);
    }
    expect((await fixture.call(worker, 'GET', '/v1/schedule/runs?name=nobody')).status).toBe(404);
  });
});

describe('POST /v1/schedule/run', () => {
  it('makes a run now, tried again like any other, and leaves the due time as it is', async () => {
    await using fixture = await createScheduleFixture();
    await fixture.deploy('app', DAILY);
    const worker = fixture.boot(({ attempt }) => (attempt === 1 ? 503 : 200));
    const { status, body } = await fixture.call(worker, 'POST', '/v1/schedule/run', { json: { name: 'app' } });
    expect(status).toBe(200);
    expect(scheduleRunSchema.strict().parse(body)).toMatchObject({
      deployment_name: 'app',
      trigger: 'manual',
      status: 'pending',
      attempts: [],
      scheduled_at: '2026-01-01T00:00:00.000Z',
    });
    await fixture.clock.elapse(MINUTE);
    expect(await fixture.history('app')).toMatchObject([{ id: body.id, status: 'succeeded', attempts: { length: 2 } }]);
    expect((await fixture.call(worker, 'GET', '/v1/schedule/list')).body[0].next_run_at).toBe(
      '2026-01-01T04:00:00.000Z',
    );
    const lines = await fixture.db.selectFrom('audit_log').select(['action', 'target']).execute();
    expect(lines).toEqual([{ action: 'schedule.run', target: 'app' }]);
  });

  it('is 409 without a schedule', async () => {
    await using fixture = await createScheduleFixture();
    await fixture.deploy('app', null);
    const worker = fixture.boot();
    const { status, body } = await fixture.call(worker, 'POST', '/v1/schedule/run', { json: { name: 'app' } });
    expect([status, body.detail]).toEqual([409, '"app" has no schedule. Deploy it with one first.']);
  });
});

describe('a deploy', () => {
  it('with the same schedule keeps its due time; with another it begins anew', async () => {
    await using fixture = await createScheduleFixture();
    await fixture.deploy('app', { cron: '*/10 * * * *', timezone: 'UTC' });
    fixture.clock.jump(12 * MINUTE);
    // Missed while it was deployed: not lost.
    await fixture.deploy('app', { cron: '*/10 * * * *', timezone: 'UTC' });
    const { calls } = fixture.boot();
    await fixture.clock.elapse(0);
    expect(calls.map((call) => call.scheduledAtMs)).toEqual([Date.UTC(2026, 0, 1, 0, 10)]);
    await fixture.deploy('app', { cron: '*/15 * * * *', timezone: 'UTC' });
    await fixture.clock.elapse(10 * MINUTE);
    expect(calls.at(-1)?.scheduledAtMs).toBe(Date.UTC(2026, 0, 1, 0, 15));
    expect(calls).toHaveLength(2);
  });

  it('without a schedule ends it, and what was to be tried again', async () => {
    await using fixture = await createScheduleFixture();
    await fixture.deploy('app', EACH_MINUTE);
    const answers: ((status: number) => void)[] = [];
    const { calls } = fixture.boot(() => new Promise((resolve) => answers.push(resolve)));
    await fixture.clock.elapse(2 * MINUTE);
    answers[0]?.(503);
    await fixture.clock.elapse(0);
    await fixture.deploy('app', null);
    answers[1]?.(503);
    await fixture.clock.elapse(10 * MINUTE);
    expect(calls).toHaveLength(2);
    expect((await fixture.history('app')).map((run) => run.status)).toEqual(['cancelled', 'cancelled']);
    // A call that was under way when it was removed, and went well, is told as it was.
    await fixture.deploy('app', EACH_MINUTE);
    await fixture.clock.elapse(MINUTE);
    await fixture.deploy('app', null);
    answers[2]?.(200);
    await fixture.clock.elapse(0);
    expect((await fixture.history('app'))[0]?.status).toBe('succeeded');
  });
});

it('every route answers every credential as the contract says', async () => {
  await using fixture = await createScheduleFixture();
  await fixture.deploy('canary-name', EACH_MINUTE);
  const { api } = fixture.boot();
  const samples: Readonly<Record<string, () => AccessSample>> = {
    'GET /v1/schedule/list': () => ({}),
    'GET /v1/schedule/runs': () => ({ query: '?name=canary-name', isOwned: true }),
    'POST /v1/schedule/run': () => ({ json: { name: 'canary-name' }, isOwned: true }),
  };
  const bad = { 'X-API-Key': 'nobody' };
  const results = await runAccessMatrix({
    send: async (request) => api.fetch(request),
    origin: 'http://localhost',
    credentials: {
      bad,
      'bad beside good': { ...bad, Authorization: 'Bearer alice' },
      expired: bad,
      revoked: bad,
      'read-only': { 'X-API-Key': 'alice-read' },
      'other account': { 'X-API-Key': 'bob' },
      owner: { 'X-API-Key': 'alice' },
    },
    sample: ({ id }) => samples[id]?.(),
    canaries: ['canary-name"'],
  });
  expect(new Set(results.map(({ operation }) => operation))).toEqual(new Set(Object.keys(samples)));
  expect(results).toHaveLength(3 * ACCESS_CREDENTIALS.length);
  expect(results.filter(({ fault }) => fault !== undefined)).toEqual([]);
});
