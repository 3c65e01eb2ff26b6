import { type Kysely, sql } from 'kysely';
import type { TableCreator } from './table-creator.ts';

/** Creates the tables of connectors: credentials, switches, pending authorizations and OAuth clients. */
export async function createConnectorTables(db: Kysely<unknown>, table: TableCreator): Promise<void> {
  await table(
    'connector_grants',
    {
      owner: 'text',
      connector: 'text',
      version: 'text',
      sealed: 'text',
      is_rejected: 'integer',
      connected_at: 'integer',
      lease_holder: 'text?',
      lease_until: 'integer?',
    },
    ['owner', 'connector'],
  );
  await table('connector_switches', { level: 'text', owner: 'text', connector: 'text', is_on: 'integer' }, [
    'level',
    'owner',
    'connector',
  ]);
  await table(
    'connector_authorizations',
    { state_hash: 'text', owner: 'text', sealed: 'text', expires_at: 'integer' },
    ['state_hash'],
  );
  await sql`create index connector_authorizations_expiry on connector_authorizations (expires_at)`.execute(db);
  await table('connector_clients', { id: 'text', sealed: 'text', created_at: 'integer' }, ['id']);
}
