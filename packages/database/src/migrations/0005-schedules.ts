import type { Migration } from '@berth/sqlite';
import { type Kysely, sql } from 'kysely';
import { createIndex, ofAccount, ofDeployment, primary, required } from './columns.ts';

/** Schedules and their runs. */
export const schedulesMigration: Migration = {
  id: 5,
  name: 'schedules',
  async up(db) {
    await db.schema
      .createTable('schedules')
      .addColumn('deployment', 'text', (column) =>
        column.primaryKey().references('deployments.name').onDelete('cascade'),
      )
      .addColumn('account_id', 'text', ofAccount)
      .addColumn('cron', 'text', required)
      .addColumn('timezone', 'text', required)
      .addColumn('next_due_at', 'bigint', required)
      .execute();
    await createIndex(db, 'schedules_next_due_at', 'schedules', ['next_due_at']);
    await createIndex(db, 'schedules_account_id', 'schedules', ['account_id']);
    await createRunTables(db);
    await adoptDeclared(db);
  },
};

async function createRunTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('schedule_runs')
    .addColumn('id', 'text', primary)
    .addColumn('account_id', 'text', ofAccount)
    .addColumn('deployment', 'text', ofDeployment)
    .addColumn('trigger', 'text', required)
    .addColumn('scheduled_at', 'bigint', required)
    .addColumn('status', 'text', required)
    .addColumn('attempts', 'integer', required)
    .addColumn('next_attempt_at', 'bigint')
    .addColumn('lease_owner', 'text')
    .addColumn('lease_expires_at', 'bigint')
    .addColumn('created_at', 'bigint', required)
    .addColumn('ended_at', 'bigint')
    .execute();
  // A clock that goes back, or two workers, can't make a minute due twice.
  await db.schema
    .createIndex('schedule_runs_due')
    .unique()
    .on('schedule_runs')
    .columns(['deployment', 'scheduled_at'])
    .where(sql.ref('trigger'), '=', 'schedule')
    .execute();
  await createIndex(db, 'schedule_runs_history', 'schedule_runs', ['deployment', 'id']);
  // The unfinished ones, of which there are few among many.
  await db.schema
    .createIndex('schedule_runs_pending')
    .on('schedule_runs')
    .column('next_attempt_at')
    .where(sql.ref('status'), '=', 'pending')
    .execute();
  await db.schema
    .createIndex('schedule_runs_running')
    .on('schedule_runs')
    .column('lease_expires_at')
    .where(sql.ref('status'), '=', 'running')
    .execute();
  await db.schema
    .createTable('schedule_attempts')
    .addColumn('run_id', 'text', (column) => column.notNull().references('schedule_runs.id').onDelete('cascade'))
    .addColumn('number', 'integer', required)
    .addColumn('account_id', 'text', ofAccount)
    .addColumn('started_at', 'bigint', required)
    .addColumn('ended_at', 'bigint')
    .addColumn('response_status', 'integer')
    .addColumn('error', 'text')
    .addPrimaryKeyConstraint('schedule_attempts_pk', ['run_id', 'number'])
    .execute();
}

/** A due time that is far off: the platform works the right one out when it starts, and misses nothing that was before. */
const UNKNOWN_DUE_MS = 8_640_000_000_000_000;

/** Earlier versions stored schedules with the settings and did not fire them. */
async function adoptDeclared(handle: Kysely<unknown>): Promise<void> {
  const db = handle as Kysely<{
    deployments: { name: string; account_id: string; settings: string | null; current_revision: string | null };
    schedules: { deployment: string; account_id: string; cron: string; timezone: string; next_due_at: number };
  }>;
  const rows = await db
    .selectFrom('deployments')
    .select(['name', 'account_id', 'settings'])
    .where('current_revision', 'is not', null)
    .execute();
  for (const { name, account_id, settings } of rows) {
    const { schedule } = JSON.parse(settings ?? '{}') as { schedule?: { cron: string; timezone: string } | null };
    if (!schedule) continue;
    const { cron, timezone } = schedule;
    await db
      .insertInto('schedules')
      .values({ deployment: name, account_id, cron, timezone, next_due_at: UNKNOWN_DUE_MS })
      .execute();
  }
}
