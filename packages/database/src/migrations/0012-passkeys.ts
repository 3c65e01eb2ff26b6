import type { Migration } from '@berth/sqlite';
import type { ColumnDefinitionBuilder } from 'kysely';

/** Passkeys of people, and the challenges that wait to be signed by one. */
export const passkeysMigration: Migration = {
  id: 12,
  name: 'passkeys',
  async up(db) {
    const required = (column: ColumnDefinitionBuilder) => column.notNull();
    const id = (column: ColumnDefinitionBuilder) => column.primaryKey();
    const user = (column: ColumnDefinitionBuilder) => column.references('auth_users.id').onDelete('cascade');
    await db.schema
      .createTable('passkeys')
      .addColumn('id', 'text', id)
      .addColumn('user_id', 'text', (column) => user(column).notNull())
      .addColumn('credential_id', 'text', (column) => column.notNull().unique())
      .addColumn('public_key', 'text', required)
      .addColumn('counter', 'bigint', required)
      .addColumn('transports', 'text', required)
      .addColumn('is_synced', 'integer', required)
      .addColumn('name', 'text', required)
      .addColumn('created_at', 'bigint', required)
      .addColumn('last_used_at', 'bigint')
      .execute();
    await db.schema.createIndex('passkeys_user_id').on('passkeys').column('user_id').execute();
    await db.schema
      .createTable('passkey_challenges')
      .addColumn('hash', 'text', id)
      .addColumn('expires_at', 'bigint', required)
      .execute();
    await db.schema
      .createIndex('passkey_challenges_expires_at')
      .on('passkey_challenges')
      .column('expires_at')
      .execute();
  },
};
