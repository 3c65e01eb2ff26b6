import type { Migration } from '@berth/sqlite';
import { createIndex, ofUser, primary, required, unique } from './columns.ts';

/** Passkeys of people, and the challenges that wait to be signed by one. */
export const passkeysMigration: Migration = {
  id: 12,
  name: 'passkeys',
  async up(db) {
    await db.schema
      .createTable('passkeys')
      .addColumn('id', 'text', primary)
      .addColumn('user_id', 'text', (column) => ofUser(column).notNull())
      .addColumn('credential_id', 'text', unique)
      .addColumn('public_key', 'text', required)
      .addColumn('counter', 'bigint', required)
      .addColumn('transports', 'text', required)
      .addColumn('is_synced', 'integer', required)
      .addColumn('name', 'text', required)
      .addColumn('created_at', 'bigint', required)
      .addColumn('last_used_at', 'bigint')
      .execute();
    await createIndex(db, 'passkeys_user_id', 'passkeys', ['user_id']);
    await db.schema
      .createTable('passkey_challenges')
      .addColumn('hash', 'text', primary)
      .addColumn('expires_at', 'bigint', required)
      .execute();
    await createIndex(db, 'passkey_challenges_expires_at', 'passkey_challenges', ['expires_at']);
  },
};
