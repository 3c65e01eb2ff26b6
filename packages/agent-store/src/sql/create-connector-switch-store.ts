import type { AgentDatabase } from '../database/agent-database.ts';
import type { ConnectorSwitchStore, SwitchLevel } from '../ports/connector-switch-store.ts';

/** Creates the store of connector switches. */
export function createConnectorSwitchStore({ db }: AgentDatabase): ConnectorSwitchStore {
  return {
    async set({ level, owner, connector, isOn }) {
      const is_on = isOn ? 1 : 0;
      await db
        .insertInto('connector_switches')
        .values({ level, owner, connector, is_on })
        .onConflict((conflict) => conflict.columns(['level', 'owner', 'connector']).doUpdateSet({ is_on }))
        .execute();
    },
    async listOf(owners) {
      if (owners.length === 0) return [];
      const rows = await db
        .selectFrom('connector_switches')
        .selectAll()
        .where((where) => where.or(owners.map(({ level, owner }) => where.and({ level, owner }))))
        .execute();
      return rows.map(({ level, owner, connector, is_on }) => ({
        level: level as SwitchLevel,
        owner,
        connector,
        isOn: is_on === 1,
      }));
    },
  };
}
