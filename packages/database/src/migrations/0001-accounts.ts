import type { Migration } from '@berth/sqlite';
import type { Kysely } from 'kysely';
import { createIndex, ofAccount, ofUser, primary, required, unique } from './columns.ts';

/** Accounts, users, sessions, API keys and the audit log. */
export const accountsMigration: Migration = {
  id: 1,
  name: 'accounts',
  async up(db) {
    await createAuthTables(db);
    await createAccountTables(db);
    await createAuditTable(db);
  },
};

async function createAuthTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('auth_users')
    .addColumn('id', 'text', primary)
    .addColumn('name', 'text', required)
    .addColumn('email', 'text', unique)
    .addColumn('email_verified', 'integer', required)
    .addColumn('image', 'text')
    .addColumn('created_at', 'bigint', required)
    .addColumn('updated_at', 'bigint', required)
    .execute();
  await db.schema
    .createTable('auth_sessions')
    .addColumn('id', 'text', primary)
    .addColumn('user_id', 'text', (column) => ofUser(column).notNull())
    .addColumn('token', 'text', unique)
    .addColumn('expires_at', 'bigint', required)
    .addColumn('ip_address', 'text')
    .addColumn('user_agent', 'text')
    .addColumn('created_at', 'bigint', required)
    .addColumn('updated_at', 'bigint', required)
    .execute();
  await createIndex(db, 'auth_sessions_user_id', 'auth_sessions', ['user_id']);
  await db.schema
    .createTable('auth_accounts')
    .addColumn('id', 'text', primary)
    .addColumn('user_id', 'text', (column) => ofUser(column).notNull())
    .addColumn('account_id', 'text', required)
    .addColumn('provider_id', 'text', required)
    .addColumn('access_token', 'text')
    .addColumn('refresh_token', 'text')
    .addColumn('id_token', 'text')
    .addColumn('access_token_expires_at', 'bigint')
    .addColumn('refresh_token_expires_at', 'bigint')
    .addColumn('scope', 'text')
    .addColumn('password', 'text')
    .addColumn('created_at', 'bigint', required)
    .addColumn('updated_at', 'bigint', required)
    .execute();
  await createIndex(db, 'auth_accounts_user_id', 'auth_accounts', ['user_id']);
  await db.schema
    .createTable('auth_verifications')
    .addColumn('id', 'text', primary)
    .addColumn('identifier', 'text', required)
    .addColumn('value', 'text', required)
    .addColumn('expires_at', 'bigint', required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('updated_at', 'bigint', required)
    .execute();
  await createIndex(db, 'auth_verifications_identifier', 'auth_verifications', ['identifier']);
}

async function createAccountTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('accounts')
    .addColumn('id', 'text', primary)
    .addColumn('name', 'text', unique)
    .addColumn('plan', 'text', required)
    .addColumn('is_operator', 'integer', required)
    .addColumn('created_at', 'bigint', required)
    .execute();
  await db.schema
    .createTable('account_members')
    .addColumn('account_id', 'text', ofAccount)
    .addColumn('user_id', 'text', (column) => ofUser(column).notNull())
    .addColumn('role', 'text', required)
    .addColumn('created_at', 'bigint', required)
    .addPrimaryKeyConstraint('account_members_pk', ['user_id', 'account_id'])
    .execute();
  await db.schema
    .createTable('api_keys')
    .addColumn('id', 'text', primary)
    .addColumn('account_id', 'text', ofAccount)
    .addColumn('user_id', 'text', (column) => column.references('auth_users.id').onDelete('set null'))
    .addColumn('name', 'text', required)
    .addColumn('start', 'text', required)
    .addColumn('hash', 'text', unique)
    .addColumn('scopes', 'text', required)
    .addColumn('expires_at', 'bigint')
    .addColumn('last_used_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .addColumn('created_at', 'bigint', required)
    .execute();
  await createIndex(db, 'api_keys_account_id', 'api_keys', ['account_id']);
}

async function createAuditTable(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('audit_log')
    .addColumn('id', 'text', primary)
    .addColumn('account_id', 'text', ofAccount)
    .addColumn('created_at', 'bigint', required)
    .addColumn('actor_kind', 'text', required)
    .addColumn('actor_id', 'text')
    .addColumn('action', 'text', required)
    .addColumn('target', 'text', required)
    .addColumn('details', 'text', required)
    .addColumn('request_id', 'text')
    .execute();
  await createIndex(db, 'audit_log_account_id', 'audit_log', ['account_id', 'id']);
}
