import type { Migration } from '@berth/sqlite';
import { createIndex, ofAccount, ofUser, primary, required, unique } from './columns.ts';

/** When sessions were used, sign-in of devices, and invitations into accounts. */
export const membersMigration: Migration = {
  id: 10,
  name: 'members',
  async up(db) {
    await db.schema.alterTable('auth_sessions').addColumn('last_used_at', 'bigint').execute();
    await db.schema
      .createTable('device_grants')
      .addColumn('hash', 'text', primary)
      .addColumn('user_code_hash', 'text', unique)
      .addColumn('device_name', 'text', required)
      .addColumn('ip_address', 'text')
      .addColumn('user_agent', 'text')
      .addColumn('state', 'text', required)
      .addColumn('user_id', 'text', ofUser)
      .addColumn('interval_ms', 'bigint', required)
      .addColumn('polled_at', 'bigint')
      .addColumn('created_at', 'bigint', required)
      .addColumn('expires_at', 'bigint', required)
      .execute();
    await createIndex(db, 'device_grants_expires_at', 'device_grants', ['expires_at']);
    await db.schema
      .createTable('account_invites')
      .addColumn('id', 'text', primary)
      .addColumn('account_id', 'text', ofAccount)
      .addColumn('hash', 'text', unique)
      .addColumn('role', 'text', required)
      .addColumn('email', 'text')
      .addColumn('invited_by', 'text', ofUser)
      .addColumn('created_at', 'bigint', required)
      .addColumn('expires_at', 'bigint', required)
      .execute();
    await createIndex(db, 'account_invites_account_id', 'account_invites', ['account_id']);
  },
};
