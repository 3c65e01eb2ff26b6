import type { Migration } from '@berth/sqlite';
import { primary, required, unique } from './columns.ts';

/** The master keys that have sealed secrets, oldest first. */
export const sealingKeysMigration: Migration = {
  id: 17,
  name: 'sealing-keys',
  async up(db) {
    await db.schema
      .createTable('sealing_keys')
      .addColumn('key_id', 'text', primary)
      .addColumn('number', 'integer', unique)
      .addColumn('created_at', 'bigint', required)
      .execute();
  },
};
