import type { AgentDatabase } from '../database/agent-database.ts';
import type { ConnectorListStore } from '../ports/connector-list-store.ts';

/** Creates the store of connectors' lists. */
export function createConnectorListStore({ db }: AgentDatabase): ConnectorListStore {
  return {
    async find(owner, connector) {
      const row = await db
        .selectFrom('connector_lists')
        .selectAll()
        .where('owner', '=', owner)
        .where('connector', '=', connector)
        .executeTakeFirst();
      if (!row) return undefined;
      const { server, version, lists, read_at: readAtMs, stale_at: staleAtMs } = row;
      return { server, version, lists, readAtMs, staleAtMs };
    },
    async put(owner, connector, { server, version, lists, readAtMs, staleAtMs }) {
      const values = { server, version, lists, read_at: readAtMs, stale_at: staleAtMs };
      await db
        .insertInto('connector_lists')
        .values({ owner, connector, ...values })
        .onConflict((conflict) => conflict.columns(['owner', 'connector']).doUpdateSet(values))
        .execute();
    },
    async purge(ms) {
      await db.deleteFrom('connector_lists').where('read_at', '<', ms).execute();
    },
  };
}
