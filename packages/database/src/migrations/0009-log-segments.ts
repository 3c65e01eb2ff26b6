import type { Migration } from '@berth/sqlite';
import { required } from './columns.ts';

/** Which Parquet segments logs consist of. Rows of segments that are older than this table are made when a log is opened. */
export const logSegmentsMigration: Migration = {
  id: 9,
  name: 'log-segments',
  async up(db) {
    await db.schema
      .createTable('log_segments')
      // No references: what was logged is kept after the deployment is gone.
      .addColumn('account', 'text', required)
      .addColumn('deployment', 'text', required)
      .addColumn('object_key', 'text', required)
      .addColumn('store', 'text', required)
      .addColumn('starts_at', 'text', required)
      .addColumn('ends_at', 'text', required)
      .addColumn('row_count', 'bigint', required)
      .addColumn('size_bytes', 'bigint', required)
      .addColumn('severities', 'integer', required)
      .addPrimaryKeyConstraint('log_segments_pk', ['account', 'deployment', 'object_key'])
      .execute();
  },
};
