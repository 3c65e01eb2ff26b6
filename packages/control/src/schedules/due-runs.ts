import type { Database, ScheduleRunsTable, SchedulesTable } from '@berth/database';
import { describeError, type IdSource } from '@berth/kit';
import type { Kysely } from 'kysely';
import type { ControlContext } from '../context/control-context.ts';
import { createFireTimes, type FireTimes } from './fire-times.ts';
import { NEVER_MS } from './schedule-store.ts';

export interface DueRunsOptions extends Pick<ControlContext, 'db' | 'ids' | 'logger'> {
  readonly nowMs: () => number;
  /** Runs kept per deployment. */
  readonly keptRuns: number;
}

/** Schedules per transaction, since others wait for it. */
const BATCH = 200;
/** A schedule that can't be read, e.g. because this machine lacks its time zone, is retried after an hour. */
const UNREADABLE_MS = 3_600_000;

/** Turns due times into runs, for all accounts. */
export type DueRuns = ReturnType<typeof createDueRuns>;

export function createDueRuns({ db, ids, logger, nowMs, keptRuns }: DueRunsOptions) {
  /** Returns undefined and logs when a schedule can't be read, so that it doesn't stop the others. */
  const readTimes = (schedule: SchedulesTable): FireTimes | undefined => {
    try {
      return createFireTimes(schedule);
    } catch (error) {
      const { deployment, cron, timezone } = schedule;
      logger.error({ deployment, cron, timezone, error: describeError(error) }, 'a schedule cannot be read');
      return undefined;
    }
  };
  const dueAfter = (times: FireTimes | undefined, now: number) =>
    times ? (times.after(now) ?? NEVER_MS) : now + UNREADABLE_MS;

  /** Sets the next due time; false when another worker, or a deploy, has set it since. */
  const move = async (handle: Kysely<Database>, { deployment, next_due_at }: SchedulesTable, nextMs: number) => {
    const moved = await handle
      .updateTable('schedules')
      .set({ next_due_at: nextMs })
      .where('deployment', '=', deployment)
      .where('next_due_at', '=', next_due_at)
      .executeTakeFirst();
    return moved.numUpdatedRows === 1n;
  };

  const makeOne = async (transaction: Kysely<Database>, schedule: SchedulesTable, now: number) => {
    const { deployment, account_id, next_due_at } = schedule;
    const times = readTimes(schedule);
    if (!(await move(transaction, schedule, dueAfter(times, now))) || !times) return;
    const scheduled_at = times.latest(now, next_due_at);
    const run = { account_id, deployment, trigger: 'schedule' as const, scheduled_at };
    await insertRun(transaction, { ids, keptRuns, nowMs: now }, run);
  };

  return {
    /**
     * Creates a pending run for each due schedule (for its newest fire where several were missed) and sets the next
     * due time. Only one of two workers creates it. Handles {@link BATCH} at most: call it again while something is due.
     */
    async make(): Promise<void> {
      const now = nowMs();
      await db.transaction().execute(async (transaction) => {
        const rows = await transaction
          .selectFrom('schedules')
          .selectAll()
          .where('next_due_at', '<=', now)
          .orderBy('next_due_at')
          .limit(BATCH)
          .execute();
        for (const row of rows) await makeOne(transaction, row, now);
      });
    },
    /**
     * Recomputes future due times, after a wrong clock or a change of time zone rules. Missed fires
     * stay missed, and nothing fires twice.
     */
    async realign(): Promise<void> {
      const rows = await db.selectFrom('schedules').selectAll().where('next_due_at', '>', nowMs()).execute();
      for (const schedule of rows) {
        const nextMs = dueAfter(readTimes(schedule), nowMs());
        if (nextMs !== schedule.next_due_at) await move(db, schedule, nextMs);
      }
    },
    /** When the next schedule is due; {@link NEVER_MS}: never. */
    async nextMs(): Promise<number> {
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

export interface InsertContext {
  readonly ids: IdSource;
  readonly keptRuns: number;
  readonly nowMs: number;
}

/** Records a run whose first attempt is due, and deletes the oldest runs. A fire that is recorded already is left alone. */
export async function insertRun(
  db: Kysely<Database>,
  { ids, keptRuns, nowMs }: InsertContext,
  run: Pick<ScheduleRunsTable, 'account_id' | 'deployment' | 'trigger' | 'scheduled_at'>,
): Promise<string> {
  const id = ids.next<'run'>('run');
  await db
    .insertInto('schedule_runs')
    .values({
      ...run,
      id,
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
    .where('deployment', '=', run.deployment)
    .where('ended_at', 'is not', null)
    .where('id', '<', (eb) =>
      eb
        .selectFrom('schedule_runs')
        .select('id')
        .where('deployment', '=', run.deployment)
        .orderBy('id', 'desc')
        .limit(1)
        .offset(keptRuns),
    )
    .execute();
  return id;
}
