import type { Migration } from '@berth/sqlite';
import { createIndex, ofUser, primary, required } from './columns.ts';

/** E-mails that were decided, the language in which a person reads them, and where they have signed in from. */
export const mailMigration: Migration = {
  id: 19,
  name: 'mail',
  async up(db) {
    await db.schema
      .createTable('mail_outbox')
      .addColumn('id', 'text', primary)
      .addColumn('account_id', 'text')
      .addColumn('kind', 'text', required)
      .addColumn('recipient', 'text', required)
      .addColumn('sealed_content', 'text')
      .addColumn('state', 'text', required)
      .addColumn('attempts', 'integer', required)
      .addColumn('next_attempt_at', 'bigint', required)
      .addColumn('expires_at', 'bigint')
      .addColumn('last_error', 'text')
      .addColumn('created_at', 'bigint', required)
      .addColumn('ended_at', 'bigint')
      .execute();
    await createIndex(db, 'mail_outbox_due', 'mail_outbox', ['state', 'next_attempt_at']);
    await db.schema
      .createTable('sign_in_places')
      .addColumn('user_id', 'text', (column) => ofUser(column).notNull())
      .addColumn('hash', 'text', required)
      .addColumn('seen_at', 'bigint', required)
      .addPrimaryKeyConstraint('sign_in_places_key', ['user_id', 'hash'])
      .execute();
    await db.schema.alterTable('auth_users').addColumn('language', 'text').execute();
  },
};
