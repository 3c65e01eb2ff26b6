import type { Migration } from '@berth/sqlite';
import type { Kysely } from 'kysely';
import { createIndex, ofAccount, ofDeployment, primary, required } from './columns.ts';

/** Deployments, revisions, deploys and their events, volumes, environments, cron tokens. */
export const deploymentsMigration: Migration = {
  id: 2,
  name: 'deployments',
  async up(db) {
    await createDeploymentTables(db);
    await createDeployTables(db);
    await createVolumeTables(db);
    await createSecretTables(db);
  },
};

async function createDeploymentTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('deployments')
    // The primary key makes names unique over all accounts.
    .addColumn('name', 'text', primary)
    .addColumn('account_id', 'text', ofAccount)
    .addColumn('status', 'text', required)
    .addColumn('settings', 'text')
    .addColumn('current_revision', 'text')
    .addColumn('environment_version', 'integer', required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('updated_at', 'bigint', required)
    .execute();
  await createIndex(db, 'deployments_account_id', 'deployments', ['account_id', 'created_at']);
  await db.schema
    .createTable('revisions')
    .addColumn('account_id', 'text', ofAccount)
    .addColumn('deployment', 'text', ofDeployment)
    .addColumn('number', 'integer', required)
    .addColumn('revision', 'text', required)
    .addColumn('status', 'text', required)
    .addColumn('settings', 'text', required)
    .addColumn('artifact', 'text')
    .addColumn('digest', 'text')
    .addColumn('environment_version', 'integer', required)
    .addColumn('deploy_id', 'text', required)
    .addColumn('served_until', 'bigint')
    .addColumn('created_at', 'bigint', required)
    .addPrimaryKeyConstraint('revisions_pk', ['deployment', 'number'])
    .addUniqueConstraint('revisions_revision', ['deployment', 'revision'])
    .execute();
  await db.schema
    .createTable('revision_counters')
    .addColumn('account_id', 'text', ofAccount)
    .addColumn('deployment', 'text', required)
    .addColumn('last_number', 'integer', required)
    .addPrimaryKeyConstraint('revision_counters_pk', ['account_id', 'deployment'])
    .execute();
}

async function createDeployTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('deploys')
    .addColumn('id', 'text', primary)
    .addColumn('account_id', 'text', ofAccount)
    // No reference: a deploy's record outlives its deployment.
    .addColumn('deployment', 'text', required)
    .addColumn('number', 'integer', required)
    .addColumn('kind', 'text', required)
    .addColumn('step', 'text', required)
    .addColumn('settings', 'text')
    .addColumn('archive', 'text')
    .addColumn('target_revision', 'text')
    .addColumn('revision', 'text')
    .addColumn('lease_owner', 'text')
    .addColumn('lease_expires_at', 'bigint')
    .addColumn('attempts', 'integer', required)
    .addColumn('is_cancel_requested', 'integer', required)
    .addColumn('code', 'text')
    .addColumn('last_seq', 'integer', required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('updated_at', 'bigint', required)
    .addColumn('ended_at', 'bigint')
    .addUniqueConstraint('deploys_number', ['account_id', 'deployment', 'number'])
    .execute();
  // Finds the unfinished ones, of which there are few among many.
  await createIndex(db, 'deploys_ended_at', 'deploys', ['ended_at']);
  await db.schema
    .createTable('deploy_events')
    .addColumn('deploy_id', 'text', (column) => column.notNull().references('deploys.id').onDelete('cascade'))
    .addColumn('account_id', 'text', ofAccount)
    .addColumn('seq', 'integer', required)
    .addColumn('body', 'text', required)
    .addColumn('created_at', 'bigint', required)
    .addPrimaryKeyConstraint('deploy_events_pk', ['deploy_id', 'seq'])
    .execute();
}

async function createVolumeTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('volumes')
    .addColumn('account_id', 'text', ofAccount)
    .addColumn('name', 'text', required)
    .addColumn('created_at', 'bigint', required)
    .addPrimaryKeyConstraint('volumes_pk', ['account_id', 'name'])
    .execute();
  await db.schema
    .createTable('volume_attachments')
    .addColumn('account_id', 'text', ofAccount)
    .addColumn('deployment', 'text', ofDeployment)
    .addColumn('mount_path', 'text', required)
    .addColumn('volume', 'text', required)
    .addPrimaryKeyConstraint('volume_attachments_pk', ['deployment', 'mount_path'])
    .addForeignKeyConstraint('volume_attachments_volume', ['account_id', 'volume'], 'volumes', ['account_id', 'name'])
    .execute();
  await createIndex(db, 'volume_attachments_by_volume', 'volume_attachments', ['account_id', 'volume']);
}

async function createSecretTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('environment_variables')
    .addColumn('account_id', 'text', ofAccount)
    .addColumn('deployment', 'text', ofDeployment)
    .addColumn('key', 'text', required)
    .addColumn('since_version', 'integer', required)
    .addColumn('until_version', 'integer')
    .addColumn('sealed_value', 'text', required)
    .addColumn('created_at', 'bigint', required)
    .addPrimaryKeyConstraint('environment_variables_pk', ['deployment', 'key', 'since_version'])
    .execute();
  await db.schema
    .createTable('cron_tokens')
    .addColumn('account_id', 'text', ofAccount)
    .addColumn('deployment', 'text', (column) => column.primaryKey().references('deployments.name').onDelete('cascade'))
    .addColumn('sealed_token', 'text', required)
    .addColumn('created_at', 'bigint', required)
    .execute();
}
