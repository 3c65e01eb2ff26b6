import type { Migration } from '@berth/sqlite';
import { primary, required } from './columns.ts';

/** The gateways of a platform, and which of them counts the requests of which services. */
export const gatewaysMigration: Migration = {
  id: 18,
  name: 'gateways',
  async up(db) {
    await db.schema
      .createTable('gateways')
      .addColumn('id', 'text', primary)
      .addColumn('address', 'text', required)
      .addColumn('is_leaving', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('expires_at', 'bigint', required)
      .execute();
    await db.schema
      .createTable('partitions')
      .addColumn('number', 'integer', (column) => column.primaryKey())
      .addColumn('owner', 'text', required)
      .addColumn('epoch', 'integer', required)
      .execute();
  },
};
