import type { Migration } from '@berth/sqlite';

/** What accounts used and what it costs, and the plans they are on. */
export const billingMigration: Migration = {
  id: 4,
  name: 'billing',
  async up(db) {
    await db.schema
      .createTable('usage')
      .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
      .addColumn('day', 'text', (column) => column.notNull())
      // No reference: what was used is owed after the deployment is gone.
      .addColumn('resource', 'text', (column) => column.notNull())
      .addColumn('sku', 'text', (column) => column.notNull())
      .addColumn('currency', 'text', (column) => column.notNull())
      .addColumn('amount', 'double precision', (column) => column.notNull())
      .addColumn('cost', 'double precision', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('usage_pk', ['account_id', 'day', 'resource', 'sku', 'currency'])
      .execute();
    await db.schema
      .createTable('subscriptions')
      .addColumn('account_id', 'text', (column) => column.primaryKey().references('accounts.id'))
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('period_start', 'bigint')
      .addColumn('period_end', 'bigint')
      .addColumn('cancel_at_period_end', 'integer', (column) => column.notNull())
      .addColumn('customer', 'text')
      .addColumn('external_id', 'text', (column) => column.unique())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .execute();
  },
};
