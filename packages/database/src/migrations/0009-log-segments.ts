import type { Migration } from '@berth/sqlite';

/** Which Parquet segments logs consist of. Rows of segments that are older than this table are made when a log is opened. */
export const logSegmentsMigration: Migration = {
  id: 9,
  name: 'log-segments',
  async up(db) {
    await db.schema
      .createTable('log_segments')
      // No references: what was logged is kept after the deployment is gone.
      .addColumn('account', 'text', (column) => column.notNull())
      .addColumn('deployment', 'text', (column) => column.notNull())
      .addColumn('object_key', 'text', (column) => column.notNull())
      .addColumn('store', 'text', (column) => column.notNull())
      .addColumn('starts_at', 'text', (column) => column.notNull())
      .addColumn('ends_at', 'text', (column) => column.notNull())
      .addColumn('row_count', 'bigint', (column) => column.notNull())
      .addColumn('size_bytes', 'bigint', (column) => column.notNull())
      .addColumn('severities', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('log_segments_pk', ['account', 'deployment', 'object_key'])
      .execute();
  },
};
