import type { Migration } from '@berth/sqlite';
import { ofAccount, required } from './columns.ts';

/** Usage and costs of accounts, and their plans. */
export const billingMigration: Migration = {
  id: 4,
  name: 'billing',
  async up(db) {
    await db.schema
      .createTable('usage')
      .addColumn('account_id', 'text', ofAccount)
      .addColumn('day', 'text', required)
      // No reference: what was used is owed after the deployment is gone.
      .addColumn('resource', 'text', required)
      .addColumn('sku', 'text', required)
      .addColumn('currency', 'text', required)
      .addColumn('amount', 'double precision', required)
      .addColumn('cost', 'double precision', required)
      .addColumn('updated_at', 'bigint', required)
      .addPrimaryKeyConstraint('usage_pk', ['account_id', 'day', 'resource', 'sku', 'currency'])
      .execute();
    await db.schema
      .createTable('subscriptions')
      .addColumn('account_id', 'text', (column) => column.primaryKey().references('accounts.id'))
      .addColumn('status', 'text', required)
      .addColumn('period_start', 'bigint')
      .addColumn('period_end', 'bigint')
      .addColumn('cancel_at_period_end', 'integer', required)
      .addColumn('customer', 'text')
      .addColumn('external_id', 'text', (column) => column.unique())
      .addColumn('updated_at', 'bigint', required)
      .execute();
  },
};
