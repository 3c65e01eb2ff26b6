import type { Migration } from '@berth/sqlite';
import { createIndex, ofAccount, required } from './columns.ts';

/** CPU and memory that deployments used, by minute. */
export const resourceUsageMigration: Migration = {
  id: 7,
  name: 'resource_usage',
  async up(db) {
    await db.schema
      .createTable('resource_usage')
      .addColumn('account_id', 'text', ofAccount)
      // No reference: it is looked at for a while after the deployment is gone.
      .addColumn('deployment', 'text', required)
      .addColumn('minute', 'bigint', required)
      .addColumn('cpu_ms', 'double precision', required)
      .addColumn('instance_ms', 'double precision', required)
      .addColumn('memory_byte_ms', 'double precision', required)
      .addColumn('memory_max_bytes', 'bigint', required)
      .addColumn('instances', 'integer', required)
      .addPrimaryKeyConstraint('resource_usage_pk', ['account_id', 'deployment', 'minute'])
      .execute();
    await createIndex(db, 'resource_usage_minute', 'resource_usage', ['minute']);
  },
};
