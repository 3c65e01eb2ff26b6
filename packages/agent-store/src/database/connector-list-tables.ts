import { type Kysely, sql } from 'kysely';
import type { TableCreator } from './table-creator.ts';

/** Creates the table of connectors' tool lists, and adds the setting key to approvals. */
export async function createConnectorListTables(db: Kysely<unknown>, table: TableCreator): Promise<void> {
  await table(
    'connector_lists',
    {
      owner: 'text',
      connector: 'text',
      server: 'text',
      version: 'text',
      lists: 'text',
      read_at: 'integer',
      stale_at: 'integer',
    },
    ['owner', 'connector'],
  );
  await sql`create index connector_lists_read on connector_lists (read_at)`.execute(db);
  await db.schema.alterTable('approvals').addColumn('setting_key', 'text').execute();
}
