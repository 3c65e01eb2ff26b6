import type { Migration } from '@berth/sqlite';
import { primary, required } from './columns.ts';

/** Tables for several servers on one database: epochs of leases, named leases, certificates, and counts of attempts. */
export const serversMigration: Migration = {
  id: 16,
  name: 'servers',
  async up(db) {
    await db.schema
      .alterTable('deploys')
      .addColumn('lease_epoch', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema
      .createTable('leases')
      .addColumn('name', 'text', primary)
      .addColumn('owner', 'text', required)
      .addColumn('epoch', 'integer', required)
      .addColumn('expires_at', 'bigint', required)
      .execute();
    await db.schema
      .createTable('certificates')
      .addColumn('name', 'text', primary)
      .addColumn('sealed_pem', 'text', required)
      .addColumn('version', 'text', required)
      .execute();
    await db.schema
      .createTable('acme_accounts')
      .addColumn('directory_url', 'text', primary)
      .addColumn('sealed_account', 'text', required)
      .execute();
    await db.schema
      .createTable('acme_challenges')
      .addColumn('token', 'text', primary)
      .addColumn('answer', 'text', required)
      .addColumn('expires_at', 'bigint', required)
      .execute();
    await db.schema
      .createTable('attempt_windows')
      .addColumn('key', 'text', primary)
      .addColumn('started_at', 'bigint', required)
      .addColumn('count', 'integer', required)
      .execute();
  },
};
