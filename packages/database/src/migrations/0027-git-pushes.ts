import type { Migration } from '@berth/sqlite';
import { ofAccount, ofDeployment, required } from './columns.ts';

/** The branches that were pushed with Git, and the commits of deploys. */
export const gitPushesMigration: Migration = {
  id: 27,
  name: 'git-pushes',
  async up(db) {
    await db.schema
      .createTable('pushed_branches')
      .addColumn('deployment', 'text', (column) => ofDeployment(column).primaryKey())
      .addColumn('account_id', 'text', ofAccount)
      .addColumn('branch', 'text', required)
      .addColumn('version', 'integer', required)
      .addColumn('commit_sha', 'text')
      .addColumn('previous_sha', 'text')
      .addColumn('deploy_id', 'text')
      .addColumn('object', 'text')
      .addColumn('updated_at', 'bigint', required)
      .execute();
    await db.schema.alterTable('deploys').addColumn('source_commit', 'text').execute();
  },
};
