import type { Migration } from '@berth/sqlite';
import { type ColumnDefinitionBuilder, type Kysely, sql } from 'kysely';
import { createIndex, ofAccount, required } from './columns.ts';

/** Contents of volumes, and deleted volumes that can be restored. */
export const volumesMigration: Migration = {
  id: 6,
  name: 'volumes',
  async up(db) {
    await addStorageColumns(db);
    await db.schema
      .createTable('deleted_volumes')
      .addColumn('account_id', 'text', ofAccount)
      .addColumn('name', 'text', required)
      .addColumn('storage_id', 'text', required)
      .addColumn('size_bytes', 'bigint', required)
      .addColumn('object_count', 'bigint', required)
      .addColumn('created_at', 'bigint', required)
      .addColumn('deleted_at', 'bigint', required)
      .addPrimaryKeyConstraint('deleted_volumes_pk', ['account_id', 'storage_id'])
      .execute();
    await createIndex(db, 'deleted_volumes_deleted_at', 'deleted_volumes', ['deleted_at']);
  },
};

const counter = (column: ColumnDefinitionBuilder) => column.notNull().defaultTo(0);

async function addStorageColumns(db: Kysely<unknown>): Promise<void> {
  // One statement a column: SQLite adds no more.
  await db.schema
    .alterTable('volumes')
    .addColumn('storage_id', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
  await db.schema.alterTable('volumes').addColumn('size_bytes', 'bigint', counter).execute();
  await db.schema.alterTable('volumes').addColumn('object_count', 'bigint', counter).execute();
  await db.schema.alterTable('volumes').addColumn('counted_at', 'bigint', counter).execute();
  // Until now a volume's bytes lay under its name.
  await sql`update volumes set storage_id = name`.execute(db);
  await db.schema
    .createIndex('volumes_storage_id')
    .unique()
    .on('volumes')
    .columns(['account_id', 'storage_id'])
    .execute();
}
