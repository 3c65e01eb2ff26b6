import type { Migration } from '@berth/sqlite';
import { createIndex, required } from './columns.ts';

/** A table of the instances of each of several servers, so that any of them can list all. */
export const instanceReportsMigration: Migration = {
  id: 21,
  name: 'instance-reports',
  async up(db) {
    await db.schema
      .createTable('instance_reports')
      .addColumn('server', 'text', required)
      .addColumn('deployment', 'text', required)
      .addColumn('account_id', 'text', required)
      .addColumn('body', 'text', required)
      .addColumn('reported_at', 'bigint', required)
      .addPrimaryKeyConstraint('instance_reports_primary_key', ['server', 'deployment'])
      .execute();
    await createIndex(db, 'instance_reports_of_deployment', 'instance_reports', ['account_id', 'deployment']);
  },
};
