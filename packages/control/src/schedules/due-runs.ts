import type { Database } from '@berth/database';
import { type AccountId, describeError, type IdSource, type Logger } from '@berth/kit';
import type { Kysely } from 'kysely';
import { createFireTimes, type FireTimes } from './fire-times.ts';
import { NEVER_MS, type ScheduleRecord, toScheduleRecord } from './schedule-store.ts';

/** Turns due times into runs. All calls are of all accounts: this is the platform's own view. */
export interface DueRuns {
  /**
   * Makes a pending run of each schedule that is due, of the newest fire where several were missed, and sets the next
   * due time. Of two workers one makes it. Takes {@link BATCH} at most: call it again while something is due.
   */
  make(): Promise<void>;
  /**
   * Works out anew the due times that lie ahead: the clock was wrong when they were set, or the rules of a zone have
   * changed since. What was missed stays missed, and what fired does not fire again.
   */
  realign(): Promise<void>;
  /** When the next schedule is due; {@link NEVER_MS}: none. */
  nextMs(): Promise<number>;
}

export interface DueRunsOptions {
  readonly db: Kysely<Database>;
  readonly ids: IdSource;
  readonly logger: Logger;
  readonly nowMs: () => number;
  /** Newest runs of a deployment that are kept. */
  readonly keptRuns: number;
}

/** Schedules of one transaction: others wait for it. */
const BATCH = 200;
/** A schedule that can't be read, its zone gone from this machine's data, is looked at again after an hour. */
const UNREADABLE_MS = 3_600_000;

export function createDueRuns({ db, ids, logger, nowMs, keptRuns }: DueRunsOptions): DueRuns {
  /** Undefined, and said, when it can't be read: it must not keep the others from firing. */
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

/** What a run is made of. */
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

/** Records a run whose first try is due, and lets go of the oldest. A fire that is recorded already is left as it is. */
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
