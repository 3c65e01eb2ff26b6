import type { AgentDatabase } from '../database/agent-database.ts';
import type { OwnerKey } from '../ports/owner-key.ts';
import type { TrashStore } from '../ports/trash-store.ts';

const ENTRY = ['id', 'path', 'kind', 'deleted_by as by', 'deleted_at as deletedAtMs', 'reason'] as const;

/** Creates the store of the trash index. */
export function createTrashStore({ db }: AgentDatabase): TrashStore {
  const entries = (owner: OwnerKey) => db.selectFrom('trash').select(ENTRY).where('owner', '=', owner);
  const deletion = (owner: OwnerKey) => db.deleteFrom('trash').where('owner', '=', owner).returning(ENTRY);
  return {
    async add(owner, { id, path, kind, by, deletedAtMs, reason }) {
      const row = { owner, id, path, kind, deleted_by: by, deleted_at: deletedAtMs, reason };
      await db.insertInto('trash').values(row).execute();
    },
    list: (owner) => entries(owner).orderBy('deleted_at', 'desc').orderBy('id', 'desc').execute(),
    find: (owner, id) => entries(owner).where('id', '=', id).executeTakeFirst(),
    take: (owner, id) => deletion(owner).where('id', '=', id).executeTakeFirst(),
    takeBefore: (owner, beforeMs) => deletion(owner).where('deleted_at', '<', beforeMs).execute(),
  };
}
