import type { Migration } from '@berth/sqlite';
import type { ColumnDefinitionBuilder } from 'kysely';

/** When sessions were used, sign-in of devices, and invitations into accounts. */
export const membersMigration: Migration = {
  id: 10,
  name: 'members',
  async up(db) {
    const required = (column: ColumnDefinitionBuilder) => column.notNull();
    const id = (column: ColumnDefinitionBuilder) => column.primaryKey();
    const user = (column: ColumnDefinitionBuilder) => column.references('auth_users.id').onDelete('cascade');
    await db.schema.alterTable('auth_sessions').addColumn('last_used_at', 'bigint').execute();
    await db.schema
      .createTable('device_grants')
      .addColumn('hash', 'text', id)
      .addColumn('user_code_hash', 'text', (column) => column.notNull().unique())
      .addColumn('device_name', 'text', required)
      .addColumn('ip_address', 'text')
      .addColumn('user_agent', 'text')
      .addColumn('state', 'text', required)
      .addColumn('user_id', 'text', user)
      .addColumn('interval_ms', 'bigint', required)
      .addColumn('polled_at', 'bigint')
      .addColumn('created_at', 'bigint', required)
      .addColumn('expires_at', 'bigint', required)
      .execute();
    await db.schema.createIndex('device_grants_expires_at').on('device_grants').column('expires_at').execute();
    await db.schema
      .createTable('account_invites')
      .addColumn('id', 'text', id)
      .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
      .addColumn('hash', 'text', (column) => column.notNull().unique())
      .addColumn('role', 'text', required)
      .addColumn('email', 'text')
      .addColumn('invited_by', 'text', user)
      .addColumn('created_at', 'bigint', required)
      .addColumn('expires_at', 'bigint', required)
      .execute();
    await db.schema.createIndex('account_invites_account_id').on('account_invites').column('account_id').execute();
  },
};
