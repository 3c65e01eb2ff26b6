import type { Migration } from '@berth/sqlite';
import type { ColumnDefinitionBuilder } from 'kysely';
import { createIndex, ofAccount, ofUser, primary, required } from './columns.ts';

/** The platform as an identity provider for the agents on it. */
export const identityMigration: Migration = {
  id: 8,
  name: 'identity',
  async up(db) {
    await db.schema
      .createTable('identity_keys')
      .addColumn('kid', 'text', primary)
      .addColumn('public_jwk', 'text', required)
      .addColumn('sealed_private_key', 'text', required)
      .addColumn('signs_from', 'bigint', required)
      .execute();
    await db.schema
      .createTable('identity_sessions')
      .addColumn('hash', 'text', primary)
      .addColumn('account_id', 'text', ofAccount)
      .addColumn('user_id', 'text', ofUser)
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
      .addColumn('client_account_id', 'text', ofAccount)
      .addColumn('created_at', 'bigint', required)
      .addPrimaryKeyConstraint('identity_consents_pk', ['subject', 'client_id', 'client_account_id'])
      .execute();
    const session = (column: ColumnDefinitionBuilder) =>
      column.notNull().references('identity_sessions.hash').onDelete('cascade');
    await db.schema
      .createTable('identity_codes')
      .addColumn('hash', 'text', primary)
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
      .addColumn('hash', 'text', primary)
      .addColumn('family', 'text', required)
      .addColumn('session_hash', 'text', session)
      .addColumn('client_id', 'text', required)
      .addColumn('client_account_id', 'text', required)
      .addColumn('scope', 'text', required)
      .addColumn('expires_at', 'bigint', required)
      .addColumn('used_at', 'bigint')
      .execute();
    for (const table of ['identity_codes', 'identity_refresh_tokens']) {
      await createIndex(db, `${table}_session`, table, ['session_hash']);
    }
    await createIndex(db, 'identity_refresh_tokens_family', 'identity_refresh_tokens', ['family']);
  },
};
