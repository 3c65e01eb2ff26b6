import type { ScheduleRun } from '@berth/contract';
import { type AccountId, createSilentLogger } from '@berth/kit';
import { createFakeClock } from '@berth/testkit';
import { describe, expect, it } from 'vitest';
import type { ClaimedAttempt } from './run-leases.ts';
import { createScheduleRunner } from './schedule-runner.ts';
import { NEVER_MS } from './schedule-store.ts';
import { createScheduleFixture } from './testing/schedule-fixture.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const EACH_MINUTE = { cron: '* * * * *', timezone: 'UTC' };
const HOURLY = { cron: '0 * * * *', timezone: 'UTC' };
const never = () => new Promise<number>(() => {});

const times = (runs: readonly ScheduleRun[]) => runs.map((run) => run.scheduled_at.slice(11, 16));

describe('a fire', () => {
  it('is one call at its minute, with the token, and is written down', async () => {
    await using fixture = await createScheduleFixture();
    await fixture.deploy('app', { cron: '*/5 * * * *', timezone: 'UTC' });
    const { calls } = fixture.boot();
    await fixture.clock.elapse(5 * MINUTE - 1);
    expect(calls).toEqual([]);
    await fixture.clock.elapse(1);
    expect(calls).toMatchObject([{ deployment: 'app', attempt: 1, scheduledAtMs: Date.UTC(2026, 0, 1, 0, 5) }]);
    expect(calls[0]?.token).toMatch(/^[\w-]{43}$/);
    await fixture.clock.elapse(5 * MINUTE);
    expect(calls).toHaveLength(2);
    expect(calls[1]?.token).toBe(calls[0]?.token);
    expect(await fixture.history('app')).toMatchObject([
      { scheduled_at: '2026-01-01T00:10:00.000Z' },
      {
        deployment_name: 'app',
        trigger: 'schedule',
        scheduled_at: '2026-01-01T00:05:00.000Z',
        status: 'succeeded',
        attempts: [{ attempt: 1, started_at: '2026-01-01T00:05:00.000Z', status: 204, error: null }],
        next_attempt_at: null,
        ended_at: '2026-01-01T00:05:00.000Z',
      },
    ]);
  });

  it('waits for no other one: runs overlap', async () => {
    await using fixture = await createScheduleFixture();
    await fixture.deploy('app', EACH_MINUTE);
    const { calls } = fixture.boot(never);
    await fixture.clock.elapse(3 * MINUTE);
    expect(calls).toHaveLength(3);
    expect((await fixture.history('app')).map((run) => run.status)).toEqual(['running', 'running', 'running']);
  });

  it('beyond the calls that may run at once comes when one has ended', async () => {
    await using fixture = await createScheduleFixture();
    for (const name of ['one', 'two', 'three']) await fixture.deploy(name, HOURLY);
    const ends: (() => void)[] = [];
    const { calls } = fixture.boot(() => new Promise((resolve) => ends.push(() => resolve(200))), { maxCalls: 2 });
    await fixture.clock.elapse(HOUR);
    expect(calls).toHaveLength(2);
    ends[0]?.();
    await fixture.clock.elapse(0);
    expect(new Set(calls.map((call) => call.deployment)).size).toBe(3);
  });
});

describe('a try that fails', () => {
  it('is made again 10, 20, 40 and 80 s later, then the run has failed', async () => {
    await using fixture = await createScheduleFixture('2026-01-01T00:59:00Z');
    await fixture.deploy('app', HOURLY);
    const at: number[] = [];
    const { calls } = fixture.boot(() => {
      at.push(fixture.clock.nowMs() - Date.UTC(2026, 0, 1, 1));
      return 503;
    });
    await fixture.clock.elapse(30 * MINUTE);
    expect(at).toEqual([0, 10_000, 30_000, 70_000, 150_000]);
    expect(calls.map((call) => [call.attempt, call.scheduledAtMs])).toEqual(
      [1, 2, 3, 4, 5].map((attempt) => [attempt, Date.UTC(2026, 0, 1, 1)]),
    );
    const [run] = await fixture.history('app');
    expect(run).toMatchObject({ status: 'failed', next_attempt_at: null, ended_at: '2026-01-01T01:02:30.000Z' });
    expect(run?.attempts.map((one) => [one.status, one.error])).toEqual(
      Array.from({ length: 5 }, () => [503, 'The service responded with 503.']),
    );
    const told = fixture.logs.entries({ account: 'acc_alice', deployment: 'app' });
    expect(told.map((entry) => entry.severity)).toEqual(['WARNING', 'WARNING', 'WARNING', 'WARNING', 'ERROR']);
    expect(told[0]).toMatchObject({
      logName: 'system',
      message:
        'Scheduled run of 2026-01-01T01:00:00.000Z, try 1 of 5: The service responded with 503. Next attempt at 2026-01-01T01:00:10.000Z.',
    });
    expect(told[4]?.message).toContain('No more retries.');
  });

  it('is any but 2xx, or no answer; the next good one ends the run', async () => {
    await using fixture = await createScheduleFixture();
    await fixture.deploy('app', HOURLY);
    const answers = [302, new Error('socket hang up'), 199, 299];
    fixture.boot(() => {
      const answer = answers.shift() as number | Error;
      if (answer instanceof Error) throw answer;
      return answer;
    });
    await fixture.clock.elapse(HOUR + 5 * MINUTE);
    const [run] = await fixture.history('app');
    expect(run?.status).toBe('succeeded');
    expect(run?.attempts.map((one) => [one.status, one.error])).toEqual([
      [302, 'The service responded with 302.'],
      [null, 'The service did not respond: socket hang up'],
      [199, 'The service responded with 199.'],
      [299, null],
    ]);
  });

  it('is one that takes longer than 30 minutes: it is broken off', async () => {
    await using fixture = await createScheduleFixture();
    await fixture.deploy('app', { cron: '0 1 * * *', timezone: 'UTC' });
    const { calls } = fixture.boot(({ attempt }) => (attempt === 1 ? never() : 200));
    await fixture.clock.elapse(HOUR + 30 * MINUTE - 1);
    expect(calls[0]?.signal.aborted).toBe(false);
    await fixture.clock.elapse(1);
    expect(calls[0]?.signal.aborted).toBe(true);
    await fixture.clock.elapse(10_000);
    const [run] = await fixture.history('app');
    expect(run).toMatchObject({ status: 'succeeded', attempts: [{ status: null }, { status: 200 }] });
    expect(run?.attempts[0]?.error).toContain('30 minutes');
  });
});

// Holds the platform to the contract: verifies('cron.downtime')
describe('after a crash', () => {
  it('a try that it broke off is made again, and no minute is lost', async () => {
    await using fixture = await createScheduleFixture();
    await fixture.deploy('app', EACH_MINUTE);
    fixture.boot(never);
    await fixture.clock.elapse(MINUTE);
    await fixture.kill();
    const { calls } = fixture.boot();
    await fixture.clock.elapse(MINUTE);
    expect(calls.map((call) => [call.attempt, call.scheduledAtMs])).toEqual([
      [2, Date.UTC(2026, 0, 1, 0, 1)],
      [1, Date.UTC(2026, 0, 1, 0, 2)],
    ]);
    const runs = await fixture.history('app');
    expect([times(runs), runs.map((run) => run.status)]).toEqual([
      ['00:02', '00:01'],
      ['succeeded', 'succeeded'],
    ]);
    expect(runs[1]?.attempts[0]).toMatchObject({ status: null, error: 'The platform stopped during this attempt.' });
  });

  it('between a due time and its call the call is made', async () => {
    await using fixture = await createScheduleFixture();
    await fixture.deploy('app', EACH_MINUTE);
    fixture.boot(undefined, { maxCalls: 0 });
    await fixture.clock.elapse(MINUTE);
    expect(await fixture.history('app')).toMatchObject([{ status: 'pending', attempts: [] }]);
    await fixture.kill();
    const { calls } = fixture.boot();
    await fixture.clock.elapse(0);
    expect(calls).toMatchObject([{ attempt: 1, scheduledAtMs: Date.UTC(2026, 0, 1, 0, 1) }]);
  });

  it('runs the newest missed fire, once', async () => {
    await using fixture = await createScheduleFixture();
    await fixture.deploy('app', EACH_MINUTE);
    fixture.clock.jump(2 * HOUR + 30_000);
    const { calls } = fixture.boot();
    await fixture.clock.elapse(0);
    expect(calls.map((call) => call.scheduledAtMs)).toEqual([Date.UTC(2026, 0, 1, 2)]);
    await fixture.clock.elapse(30_000);
    expect(times(await fixture.history('app'))).toEqual(['02:01', '02:00']);
  });

  it('counts broken-off tries: a run that brings the platform down ends', async () => {
    await using fixture = await createScheduleFixture();
    await fixture.deploy('app', { cron: '0 1 1 1 *', timezone: 'UTC' });
    await fixture.clock.elapse(HOUR);
    for (let crash = 0; crash < 5; crash++) {
      fixture.boot(never);
      await fixture.clock.elapse(5 * MINUTE);
      await fixture.kill();
    }
    const { calls } = fixture.boot(never);
    await fixture.clock.elapse(5 * MINUTE);
    expect(calls).toEqual([]);
    expect(await fixture.history('app')).toMatchObject([{ status: 'failed', attempts: { length: 5 } }]);
  });
});

describe('an orderly stop', () => {
  it('lets a call end, and breaks off one that does not', async () => {
    await using fixture = await createScheduleFixture();
    await fixture.deploy('quick', EACH_MINUTE);
    await fixture.deploy('slow', EACH_MINUTE);
    const quick = Promise.withResolvers<number>();
    const first = fixture.boot(({ deployment }) => (deployment === 'quick' ? quick.promise : never()));
    await fixture.clock.elapse(MINUTE);
    const closed = first.schedules.close(2_000);
    quick.resolve(200);
    await fixture.clock.elapse(2_000);
    await closed;
    await fixture.clock.elapse(5 * MINUTE);
    expect(first.calls).toHaveLength(2);
    expect(await fixture.history('quick')).toMatchObject([{ status: 'succeeded' }]);
    expect(await fixture.history('slow')).toMatchObject([{ status: 'pending', attempts: [{ status: null }] }]);
  });
});

describe('two processes on one database', () => {
  it('make each run once', async () => {
    await using fixture = await createScheduleFixture();
    for (const name of ['a', 'b', 'c', 'd']) await fixture.deploy(name, EACH_MINUTE);
    const workers = [1, 2].map(() => fixture.boot(undefined, { cluster: fixture.cluster() }));
    await fixture.clock.elapse(10 * MINUTE);
    const made = workers.flatMap(({ calls }) => calls.map((call) => `${call.deployment} ${call.scheduledAtMs}`));
    expect(made).toHaveLength(40);
    expect(new Set(made).size).toBe(40);
  });

  it('take over what the other left, when its lease has run out', async () => {
    await using fixture = await createScheduleFixture();
    await fixture.deploy('app', HOURLY);
    fixture.boot(never, { cluster: fixture.cluster() });
    await fixture.clock.elapse(HOUR);
    await fixture.kill();
    const { calls } = fixture.boot(undefined, { cluster: fixture.cluster() });
    await fixture.clock.elapse(20_000);
    expect(calls).toEqual([]);
    await fixture.clock.elapse(MINUTE);
    expect(calls).toMatchObject([{ attempt: 2 }]);
  });

  it('leave a call alone that its process still makes', async () => {
    await using fixture = await createScheduleFixture();
    await fixture.deploy('app', { cron: '0 1 * * *', timezone: 'UTC' });
    const [one, two] = [
      fixture.boot(never, { cluster: fixture.cluster() }),
      fixture.boot(never, { cluster: fixture.cluster() }),
    ];
    await fixture.clock.elapse(HOUR + 29 * MINUTE);
    expect(one.calls.length + two.calls.length).toBe(1);
  });
});

describe('a server that was paused', () => {
  /** A runner on stubs, which claims one attempt. */
  function createPaused(renew: (attempts: readonly ClaimedAttempt[]) => Promise<ClaimedAttempt[]>) {
    const clock = createFakeClock();
    const claimed = { runId: 'run_1', accountId: 'acc' as AccountId, deployment: 'app', attempt: 1, scheduledAtMs: 0 };
    const token = Promise.withResolvers<string>();
    const signals: AbortSignal[] = [];
    const waiting = [claimed];
    const runner = createScheduleRunner({
      ...{ clock, isAlone: false, heartbeatMs: 10_000, pollMs: 600_000, maxCalls: 10, logger: createSilentLogger() },
      logs: { append: async () => {} },
      tokens: { ensure: () => token.promise },
      due: { make: async () => {}, realign: async () => {}, nextMs: async () => NEVER_MS },
      leases: {
        claim: async () => waiting.splice(0),
        nextMs: async () => (waiting.length > 0 ? 0 : NEVER_MS),
        record: async () => undefined,
        renew,
        takeOver: async () => {},
      },
      callCron: ({ signal }) => {
        signals.push(signal);
        return new Promise(() => {});
      },
    });
    runner.start();
    return { clock, signals, claim: token.resolve };
  }

  // Fails when the call is made without a look at how long ago it was claimed: another server has made the next attempt.
  it('before its call does not make it', async () => {
    const { clock, signals, claim } = createPaused(() => new Promise(() => {}));
    await clock.elapse(30_000);
    claim('token');
    await clock.elapse(0);
    expect(signals).toEqual([]);
  });

  it('during its call aborts it when another server has taken it over', async () => {
    let isLost = false;
    const { clock, signals, claim } = createPaused(async (attempts) => (isLost ? [] : [...attempts]));
    await clock.elapse(0);
    claim('token');
    await clock.elapse(20_000);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    isLost = true;
    await clock.elapse(10_000);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });
});

describe('the clock', () => {
  it('going back by a little or a lot makes nothing due twice', async () => {
    await using fixture = await createScheduleFixture();
    await fixture.deploy('app', EACH_MINUTE);
    const { calls } = fixture.boot(undefined, { pollMs: 1_000 });
    await fixture.clock.elapse(2 * MINUTE);
    fixture.clock.jump(-3_000);
    await fixture.clock.elapse(2 * MINUTE);
    const due = calls.map((call) => call.scheduledAtMs);
    expect(new Set(due).size).toBe(due.length);
    expect(due).toHaveLength(3);
  });

  it('that was wrong for a while leaves no schedule behind in the future', async () => {
    await using fixture = await createScheduleFixture();
    await fixture.deploy('app', HOURLY);
    const year = 365 * 24 * HOUR;
    fixture.clock.jump(10 * year);
    const { calls } = fixture.boot(undefined, { pollMs: 1_000 });
    await fixture.clock.elapse(5_000);
    fixture.clock.jump(-10 * year);
    calls.length = 0;
    await fixture.clock.elapse(HOUR);
    expect(calls.map((call) => call.scheduledAtMs)).toEqual([Date.UTC(2026, 0, 1, 1)]);
  });

  it.each([
    ['forward', '2026-03-29T00:20:00Z', ['2026-03-29T00:30', '2026-03-29T01:00', '2026-03-29T01:30']],
    ['back', '2026-10-24T23:50:00Z', ['2026-10-25T00:00', '2026-10-25T00:30', '2026-10-25T02:00']],
  ])('set %s for the season fires as the contract says', async (_way, start, expected) => {
    await using fixture = await createScheduleFixture(start);
    await fixture.deploy('app', { cron: '*/30 * * * *', timezone: 'Europe/Oslo' });
    const { calls } = fixture.boot();
    await fixture.clock.elapse(3 * HOUR);
    expect(calls.slice(0, 3).map((call) => new Date(call.scheduledAtMs).toISOString().slice(0, 16))).toEqual(expected);
  });
});

describe('a schedule that cannot be read', () => {
  it('does not keep the others from firing', async () => {
    await using fixture = await createScheduleFixture();
    await fixture.deploy('app', EACH_MINUTE);
    await fixture.deploy('lost', EACH_MINUTE);
    await fixture.db.updateTable('schedules').set({ timezone: 'Gone/Zone' }).where('deployment', '=', 'lost').execute();
    const { calls } = fixture.boot();
    await fixture.clock.elapse(2 * MINUTE);
    expect(calls.map((call) => call.deployment)).toEqual(['app', 'app']);
  });
});
