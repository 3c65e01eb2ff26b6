import type { Migration } from '@berth/sqlite';
import { sql } from 'kysely';

/** Custom domains of deployments. */
export const domainsMigration: Migration = {
  id: 3,
  name: 'domains',
  async up(db) {
    await db.schema
      .createTable('domains')
      .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
      .addColumn('domain', 'text', (column) => column.notNull())
      // A deployment's domains go with it, in the statement that deletes it: none can be left to whoever takes its name.
      .addColumn('deployment', 'text', (column) => column.notNull().references('deployments.name').onDelete('cascade'))
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('token', 'text', (column) => column.notNull())
      .addColumn('proof', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('verified_at', 'bigint')
      .addPrimaryKeyConstraint('domains_pk', ['domain', 'account_id'])
      .addUniqueConstraint('domains_token', ['token'])
      .execute();
    // Claims may stand side by side, proven domains may not.
    await db.schema
      .createIndex('domains_active')
      .unique()
      .on('domains')
      .column('domain')
      .where(sql.ref('status'), '=', 'active')
      .execute();
    await db.schema.createIndex('domains_account_id').on('domains').columns(['account_id', 'created_at']).execute();
    await db.schema.createIndex('domains_deployment').on('domains').column('deployment').execute();
  },
};
