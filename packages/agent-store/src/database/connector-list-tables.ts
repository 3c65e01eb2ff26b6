import { type Kysely, sql } from 'kysely';
import type { TableCreator } from './table-creator.ts';

/** Lists of connectors' tools, and under which name a person's decision about a tool that asks is kept. */
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
