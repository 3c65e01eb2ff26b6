import type { AgentDatabase } from '../database/agent-database.ts';
import type { SettingStore, ToolMode } from '../ports/setting-store.ts';

/** Creates the store of tool settings. */
export function createSettingStore({ db }: AgentDatabase): SettingStore {
  return {
    async toolModes(owner) {
      const rows = await db.selectFrom('tool_modes').select(['tool', 'mode']).where('owner', '=', owner).execute();
      return Object.fromEntries(rows.map(({ tool, mode }) => [tool, mode as ToolMode]));
    },
    async setToolMode(owner, tool, mode, definitionHash) {
      const set = { mode, definition_hash: definitionHash ?? null };
      await db
        .insertInto('tool_modes')
        .values({ owner, tool, ...set })
        .onConflict((conflict) => conflict.columns(['owner', 'tool']).doUpdateSet(set))
        .execute();
    },
    async toolDefinitions(owner) {
      const rows = await db
        .selectFrom('tool_modes')
        .select(['tool', 'definition_hash'])
        .where('owner', '=', owner)
        .where('definition_hash', 'is not', null)
        .execute();
      return Object.fromEntries(rows.map(({ tool, definition_hash }) => [tool, definition_hash as string]));
    },
    async clearToolMode(owner, tool) {
      await db.deleteFrom('tool_modes').where('owner', '=', owner).where('tool', '=', tool).execute();
    },
  };
}
