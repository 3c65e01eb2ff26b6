import type { Migration } from '@berth/sqlite';
import { sql } from 'kysely';
import { createIndex, ofAccount, primary, required } from './columns.ts';

/** Repositories that deployments are connected to, the work that their webhooks cause, and previews. */
export const repositoriesMigration: Migration = {
  id: 28,
  name: 'repositories',
  async up(db) {
    await db.schema
      .createTable('repositories')
      .addColumn('id', 'text', primary)
      .addColumn('account_id', 'text', ofAccount)
      .addColumn('deployment', 'text', required)
      .addColumn('forge', 'text', required)
      .addColumn('url', 'text', required)
      .addColumn('branch', 'text', required)
      .addColumn('folder', 'text')
      .addColumn('sealed_secret', 'text', required)
      .addColumn('sealed_token', 'text')
      .addColumn('sealed_preview_variables', 'text')
      .addColumn('previews_enabled', 'integer', required)
      .addColumn('preview_ttl_ms', 'bigint', required)
      .addColumn('created_at', 'bigint', required)
      .addColumn('ended_at', 'bigint')
      .addColumn('end_attempts', 'integer', required)
      .execute();
    // A deployment has one repository; those that are being disconnected don't count.
    await sql`create unique index repositories_of_deployment on repositories (deployment) where ended_at is null`.execute(
      db,
    );
    await createIndex(db, 'repositories_ended', 'repositories', ['ended_at']);
    const ofRepository = (column: Parameters<typeof primary>[0]) =>
      column.notNull().references('repositories.id').onDelete('cascade');
    await db.schema
      .createTable('repository_deliveries')
      .addColumn('repository_id', 'text', ofRepository)
      .addColumn('digest', 'text', required)
      .addColumn('created_at', 'bigint', required)
      .addPrimaryKeyConstraint('repository_deliveries_key', ['repository_id', 'digest'])
      .execute();
    await createIndex(db, 'repository_deliveries_time', 'repository_deliveries', ['repository_id', 'created_at']);
    await db.schema
      .createTable('repository_runs')
      .addColumn('id', 'text', primary)
      .addColumn('repository_id', 'text', ofRepository)
      .addColumn('number', 'integer')
      .addColumn('sha', 'text', required)
      .addColumn('title', 'text', required)
      .addColumn('state', 'text', required)
      .addColumn('deploy_id', 'text')
      .addColumn('error', 'text')
      .addColumn('attempts', 'integer', required)
      .addColumn('next_attempt_at', 'bigint', required)
      .addColumn('is_reported', 'integer', required)
      .addColumn('report_attempts', 'integer', required)
      .addColumn('next_report_at', 'bigint', required)
      .addColumn('report_error', 'text')
      .addColumn('created_at', 'bigint', required)
      .execute();
    await createIndex(db, 'repository_runs_of_repository', 'repository_runs', ['repository_id', 'id']);
    await createIndex(db, 'repository_runs_state', 'repository_runs', ['state', 'next_attempt_at']);
    await createIndex(db, 'repository_runs_report', 'repository_runs', ['is_reported', 'next_report_at']);
    await db.schema
      .createTable('repository_previews')
      .addColumn('repository_id', 'text', ofRepository)
      .addColumn('number', 'integer', required)
      .addColumn('deployment', 'text', required)
      .addColumn('is_claimed', 'integer', required)
      .addColumn('is_closing', 'integer', required)
      .addColumn('expires_at', 'bigint', required)
      .addColumn('comment_id', 'text')
      .addPrimaryKeyConstraint('repository_previews_key', ['repository_id', 'number'])
      .execute();
    await createIndex(db, 'repository_previews_expiry', 'repository_previews', ['is_closing', 'expires_at']);
  },
};
