import type { SettingStore, ToolMode } from '../setting-store.ts';
import type { AgentDatabase } from './agent-database.ts';

/** Modes of tools in SQL. */
export function createSettingStore({ db }: AgentDatabase): SettingStore {
  return {
    async toolModes(owner) {
      const rows = await db.selectFrom('tool_modes').select(['tool', 'mode']).where('owner', '=', owner).execute();
      return Object.fromEntries(rows.map(({ tool, mode }) => [tool, mode as ToolMode]));
    },
    async setToolMode(owner, tool, mode) {
      await db
        .insertInto('tool_modes')
        .values({ owner, tool, mode })
        .onConflict((conflict) => conflict.columns(['owner', 'tool']).doUpdateSet({ mode }))
        .execute();
    },
    async clearToolMode(owner, tool) {
      await db.deleteFrom('tool_modes').where('owner', '=', owner).where('tool', '=', tool).execute();
    },
  };
}
