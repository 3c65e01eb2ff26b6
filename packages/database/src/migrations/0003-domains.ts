import type { Migration } from '@berth/sqlite';
import { sql } from 'kysely';
import { createIndex, ofAccount, ofDeployment, required } from './columns.ts';

/** Custom domains of deployments. */
export const domainsMigration: Migration = {
  id: 3,
  name: 'domains',
  async up(db) {
    await db.schema
      .createTable('domains')
      .addColumn('account_id', 'text', ofAccount)
      .addColumn('domain', 'text', required)
      // A deployment's domains go with it, in the statement that deletes it: none can be left to whoever takes its name.
      .addColumn('deployment', 'text', ofDeployment)
      .addColumn('status', 'text', required)
      .addColumn('token', 'text', required)
      .addColumn('proof', 'text', required)
      .addColumn('created_at', 'bigint', required)
      .addColumn('verified_at', 'bigint')
      .addPrimaryKeyConstraint('domains_pk', ['domain', 'account_id'])
      .addUniqueConstraint('domains_token', ['token'])
      .execute();
    // Claims may stand side by side, proven domains may not.
    await db.schema
      .createIndex('domains_active')
      .unique()
      .on('domains')
      .column('domain')
      .where(sql.ref('status'), '=', 'active')
      .execute();
    await createIndex(db, 'domains_account_id', 'domains', ['account_id', 'created_at']);
    await createIndex(db, 'domains_deployment', 'domains', ['deployment']);
  },
};
