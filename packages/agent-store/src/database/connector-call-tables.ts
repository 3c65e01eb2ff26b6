import type { TableCreator } from './table-creator.ts';

/** Creates the counters of the connector rate limit. */
export async function createConnectorCallTables(table: TableCreator): Promise<void> {
  await table('connector_calls', { owner: 'text', connector: 'text', began_at: 'integer', calls: 'integer' }, [
    'owner',
    'connector',
  ]);
}
