import type { Database } from '@berth/database';
import { type AccountId, describeError, type IdSource, type Logger } from '@berth/kit';
import type { Kysely } from 'kysely';
import { createFireTimes, type FireTimes } from './fire-times.ts';
import { NEVER_MS, type ScheduleRecord, toScheduleRecord } from './schedule-store.ts';

/** Turns due times into runs, for all accounts. */
export interface DueRuns {
  /**
   * Creates a pending run for each due schedule (for its newest fire where several were missed) and sets the next
   * due time. Of two workers, one creates it. Handles {@link BATCH} at most: call it again while something is due.
   */
  make(): Promise<void>;
  /**
   * Recomputes future due times, after a wrong clock or a change of time zone rules. Missed fires
   * stay missed, and nothing fires twice.
   */
  realign(): Promise<void>;
  /** When the next schedule is due; {@link NEVER_MS}: never. */
  nextMs(): Promise<number>;
}

export interface DueRunsOptions {
  readonly db: Kysely<Database>;
  readonly ids: IdSource;
  readonly logger: Logger;
  readonly nowMs: () => number;
  /** Runs kept per deployment. */
  readonly keptRuns: number;
}

/** Schedules per transaction, since others wait for it. */
const BATCH = 200;
/** A schedule that can't be read, e.g. because this machine lacks its time zone, is retried after an hour. */
const UNREADABLE_MS = 3_600_000;

export function createDueRuns({ db, ids, logger, nowMs, keptRuns }: DueRunsOptions): DueRuns {
  /** Returns undefined and logs when a schedule can't be read, so that it doesn't stop the others. */
  const readTimes = (schedule: ScheduleRecord): FireTimes | undefined => {
    try {
      return createFireTimes(schedule);
    } catch (error) {
      const { deployment, cron, timezone } = schedule;
      logger.error({ deployment, cron, timezone, error: describeError(error) }, 'a schedule can not be read');
      return undefined;
    }
  };
  const dueAfter = (times: FireTimes | undefined, now: number) =>
    times ? (times.after(now) ?? NEVER_MS) : now + UNREADABLE_MS;

  /** Sets the next due time; false when another worker, or a deploy, has set it since. */
  const move = async (handle: Kysely<Database>, { deployment, nextDueAtMs }: ScheduleRecord, nextMs: number) => {
    const moved = await handle
      .updateTable('schedules')
      .set({ next_due_at: nextMs })
      .where('deployment', '=', deployment)
      .where('next_due_at', '=', nextDueAtMs)
      .executeTakeFirst();
    return moved.numUpdatedRows === 1n;
  };

  const makeOne = async (transaction: Kysely<Database>, schedule: ScheduleRecord, now: number) => {
    const { deployment, accountId, nextDueAtMs } = schedule;
    const times = readTimes(schedule);
    if (!(await move(transaction, schedule, dueAfter(times, now))) || !times) return;
    const scheduledAtMs = times.latest(now, nextDueAtMs);
    const run = { accountId, deployment, trigger: 'schedule' as const, scheduledAtMs };
    await insertRun(transaction, { ids, keptRuns, nowMs: now }, run);
  };

  return {
    async make() {
      const now = nowMs();
      await db.transaction().execute(async (transaction) => {
        const rows = await transaction
          .selectFrom('schedules')
          .selectAll()
          .where('next_due_at', '<=', now)
          .orderBy('next_due_at')
          .limit(BATCH)
          .execute();
        for (const row of rows) await makeOne(transaction, toScheduleRecord(row), now);
      });
    },
    async realign() {
      const rows = await db.selectFrom('schedules').selectAll().where('next_due_at', '>', nowMs()).execute();
      for (const schedule of rows.map(toScheduleRecord)) {
        const nextMs = dueAfter(readTimes(schedule), nowMs());
        if (nextMs !== schedule.nextDueAtMs) await move(db, schedule, nextMs);
      }
    },
    async nextMs() {
      const row = await db
        .selectFrom('schedules')
        .select('next_due_at')
        .orderBy('next_due_at')
        .limit(1)
        .executeTakeFirst();
      return row?.next_due_at ?? NEVER_MS;
    },
  };
}

/** A new run. */
export interface NewRun {
  readonly accountId: AccountId;
  readonly deployment: string;
  readonly trigger: 'schedule' | 'manual';
  readonly scheduledAtMs: number;
}

export interface InsertContext {
  readonly ids: IdSource;
  readonly keptRuns: number;
  readonly nowMs: number;
}

/** Records a run whose first attempt is due, and deletes the oldest runs. A fire that is recorded already is left alone. */
export async function insertRun(
  db: Kysely<Database>,
  { ids, keptRuns, nowMs }: InsertContext,
  { accountId, deployment, trigger, scheduledAtMs }: NewRun,
): Promise<string> {
  const id = ids.next<'run'>('run');
  await db
    .insertInto('schedule_runs')
    .values({
      id,
      account_id: accountId,
      deployment,
      trigger,
      scheduled_at: scheduledAtMs,
      status: 'pending',
      attempts: 0,
      next_attempt_at: nowMs,
      lease_owner: null,
      lease_expires_at: null,
      created_at: nowMs,
      ended_at: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await db
    .deleteFrom('schedule_runs')
    .where('deployment', '=', deployment)
    .where('ended_at', 'is not', null)
    .where('id', '<', (eb) =>
      eb
        .selectFrom('schedule_runs')
        .select('id')
        .where('deployment', '=', deployment)
        .orderBy('id', 'desc')
        .limit(1)
        .offset(keptRuns),
    )
    .execute();
  return id;
}
