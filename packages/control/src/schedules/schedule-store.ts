import type { Schedule } from '@berth/contract';
import type { Database, SchedulesTable } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Kysely } from 'kysely';
import { createFireTimes } from './fire-times.ts';

/** A due time that never comes: the largest JavaScript time. Source: ECMA-262 21.4.1.1. */
export const NEVER_MS = 8_640_000_000_000_000;

/** Returns when a schedule is next due after `nowMs`; {@link NEVER_MS}: never. */
export function nextDueMs(schedule: Schedule, nowMs: number): number {
  return createFireTimes(schedule).after(nowMs) ?? NEVER_MS;
}

/** Schedules in the database. When created with a transaction, every call is part of it. */
export function createScheduleStore(db: Kysely<Database>) {
  const ofAccount = (account: AccountId) => db.selectFrom('schedules').selectAll().where('account_id', '=', account);
  const find = (account: AccountId, deployment: string) =>
    ofAccount(account).where('deployment', '=', deployment).executeTakeFirst();

  const remove = async (account: AccountId, deployment: string, nowMs: number) => {
    await db.deleteFrom('schedules').where('account_id', '=', account).where('deployment', '=', deployment).execute();
    await db
      .updateTable('schedule_runs')
      .set({ status: 'cancelled', next_attempt_at: null, ended_at: nowMs })
      .where('account_id', '=', account)
      .where('deployment', '=', deployment)
      .where('status', '=', 'pending')
      .execute();
  };

  return {
    /**
     * Sets a deployment's schedule; null removes it. An unchanged schedule keeps its due time, so that a
     * fire during a deploy is not lost.
     */
    async declare(account: AccountId, deployment: string, schedule: Schedule | null, nowMs: number): Promise<void> {
      if (schedule === null) return remove(account, deployment, nowMs);
      const { cron, timezone } = schedule;
      const before = await find(account, deployment);
      if (before?.cron === cron && before.timezone === timezone) return;
      const row = { cron, timezone, next_due_at: nextDueMs(schedule, nowMs) };
      await db
        .insertInto('schedules')
        .values({ deployment, account_id: account, ...row })
        .onConflict((conflict) => conflict.column('deployment').doUpdateSet(row))
        .execute();
    },
    /** By name. */
    list: (account: AccountId): Promise<SchedulesTable[]> => ofAccount(account).orderBy('deployment').execute(),
    find,
  };
}
