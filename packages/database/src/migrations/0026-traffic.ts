import type { Migration } from '@berth/sqlite';
import { ofAccount, ofDeployment, required } from './columns.ts';

/** Splits of traffic, tags of revisions, and canaries with what they are judged by. */
export const trafficMigration: Migration = {
  id: 26,
  name: 'traffic',
  async up(db) {
    await db.schema
      .createTable('traffic_shares')
      .addColumn('account_id', 'text', ofAccount)
      .addColumn('deployment', 'text', ofDeployment)
      .addColumn('revision', 'text', required)
      .addColumn('percent', 'integer', required)
      .addPrimaryKeyConstraint('traffic_shares_key', ['deployment', 'revision'])
      .execute();
    await db.schema
      .createTable('traffic_tags')
      .addColumn('account_id', 'text', ofAccount)
      .addColumn('deployment', 'text', ofDeployment)
      .addColumn('tag', 'text', required)
      .addColumn('revision', 'text', required)
      .addPrimaryKeyConstraint('traffic_tags_key', ['deployment', 'tag'])
      .execute();
    await db.schema
      .createTable('canaries')
      .addColumn('deployment', 'text', (column) =>
        column.primaryKey().references('deployments.name').onDelete('cascade'),
      )
      .addColumn('account_id', 'text', ofAccount)
      .addColumn('revision', 'text', required)
      .addColumn('deploy_id', 'text', required)
      .addColumn('ends_at', 'bigint', required)
      .execute();
    await db.schema
      .createTable('canary_counts')
      .addColumn('deployment', 'text', ofDeployment)
      .addColumn('revision', 'text', required)
      .addColumn('requests', 'bigint', required)
      .addColumn('errors', 'bigint', required)
      .addPrimaryKeyConstraint('canary_counts_key', ['deployment', 'revision'])
      .execute();
    await db.schema.alterTable('deploys').addColumn('traffic', 'text').execute();
  },
};
