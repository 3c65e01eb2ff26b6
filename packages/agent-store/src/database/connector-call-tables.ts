import type { TableCreator } from './table-creator.ts';

/** How often people called the APIs of connectors in the window that runs. */
export async function createConnectorCallTables(table: TableCreator): Promise<void> {
  await table('connector_calls', { owner: 'text', connector: 'text', began_at: 'integer', calls: 'integer' }, [
    'owner',
    'connector',
  ]);
}
