import type { Migration } from '@berth/sqlite';
import type { ColumnDefinitionBuilder } from 'kysely';

/** The platform as an identity provider for the agents on it. */
export const identityMigration: Migration = {
  id: 8,
  name: 'identity',
  async up(db) {
    const required = (column: ColumnDefinitionBuilder) => column.notNull();
    await db.schema
      .createTable('identity_keys')
      .addColumn('kid', 'text', (column) => column.primaryKey())
      .addColumn('public_jwk', 'text', required)
      .addColumn('sealed_private_key', 'text', required)
      .addColumn('signs_from', 'bigint', required)
      .execute();
    await db.schema
      .createTable('identity_sessions')
      .addColumn('hash', 'text', (column) => column.primaryKey())
      .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
      .addColumn('user_id', 'text', (column) => column.references('auth_users.id').onDelete('cascade'))
      .addColumn('key_id', 'text', (column) => column.references('api_keys.id').onDelete('cascade'))
      // No reference: sessions are deleted freely, and the lookup of this row checks whether its session is still there.
      .addColumn('auth_session', 'text')
      .addColumn('created_at', 'bigint', required)
      .addColumn('expires_at', 'bigint', required)
      .execute();
    await db.schema
      .createTable('identity_consents')
      .addColumn('subject', 'text', required)
      .addColumn('client_id', 'text', required)
      .addColumn('client_account_id', 'text', (column) => column.notNull().references('accounts.id'))
      .addColumn('created_at', 'bigint', required)
      .addPrimaryKeyConstraint('identity_consents_pk', ['subject', 'client_id', 'client_account_id'])
      .execute();
    const session = (column: ColumnDefinitionBuilder) =>
      column.notNull().references('identity_sessions.hash').onDelete('cascade');
    await db.schema
      .createTable('identity_codes')
      .addColumn('hash', 'text', (column) => column.primaryKey())
      .addColumn('session_hash', 'text', session)
      .addColumn('client_id', 'text', required)
      .addColumn('client_account_id', 'text', required)
      .addColumn('redirect_uri', 'text', required)
      .addColumn('scope', 'text', required)
      .addColumn('nonce', 'text')
      .addColumn('code_challenge', 'text', required)
      .addColumn('expires_at', 'bigint', required)
      .addColumn('used_at', 'bigint')
      .execute();
    await db.schema
      .createTable('identity_refresh_tokens')
      .addColumn('hash', 'text', (column) => column.primaryKey())
      .addColumn('family', 'text', required)
      .addColumn('session_hash', 'text', session)
      .addColumn('client_id', 'text', required)
      .addColumn('client_account_id', 'text', required)
      .addColumn('scope', 'text', required)
      .addColumn('expires_at', 'bigint', required)
      .addColumn('used_at', 'bigint')
      .execute();
    for (const table of ['identity_codes', 'identity_refresh_tokens']) {
      await db.schema.createIndex(`${table}_session`).on(table).column('session_hash').execute();
    }
    await db.schema
      .createIndex('identity_refresh_tokens_family')
      .on('identity_refresh_tokens')
      .column('family')
      .execute();
  },
};
