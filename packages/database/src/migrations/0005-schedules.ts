import type { Migration } from '@berth/sqlite';
import { type Kysely, sql } from 'kysely';

/** What is due when, and what came of it. */
export const schedulesMigration: Migration = {
  id: 5,
  name: 'schedules',
  async up(db) {
    await db.schema
      .createTable('schedules')
      .addColumn('deployment', 'text', (column) =>
        column.primaryKey().references('deployments.name').onDelete('cascade'),
      )
      .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
      .addColumn('cron', 'text', (column) => column.notNull())
      .addColumn('timezone', 'text', (column) => column.notNull())
      .addColumn('next_due_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('schedules_next_due_at').on('schedules').column('next_due_at').execute();
    await db.schema.createIndex('schedules_account_id').on('schedules').column('account_id').execute();
    await createRunTables(db);
    await adoptDeclared(db);
  },
};

async function createRunTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('schedule_runs')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('deployment', 'text', (column) => column.notNull().references('deployments.name').onDelete('cascade'))
    .addColumn('trigger', 'text', (column) => column.notNull())
    .addColumn('scheduled_at', 'bigint', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('next_attempt_at', 'bigint')
    .addColumn('lease_owner', 'text')
    .addColumn('lease_expires_at', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
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
  await db.schema.createIndex('schedule_runs_history').on('schedule_runs').columns(['deployment', 'id']).execute();
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
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('started_at', 'bigint', (column) => column.notNull())
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
