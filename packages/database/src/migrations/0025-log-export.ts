import type { Migration } from '@berth/sqlite';
import { required } from './columns.ts';

/** How far each log was exported. Without references: a log outlives its deployment until all of it is exported. */
export const logExportMigration: Migration = {
  id: 25,
  name: 'log-export',
  async up(db) {
    await db.schema
      .createTable('log_exports')
      .addColumn('account_id', 'text', required)
      .addColumn('deployment', 'text', required)
      .addColumn('exported_until', 'text', required)
      .addPrimaryKeyConstraint('log_exports_pk', ['account_id', 'deployment'])
      .execute();
  },
};
