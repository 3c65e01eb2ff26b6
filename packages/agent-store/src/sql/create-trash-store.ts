import type { Selectable } from 'kysely';
import type { AgentDatabase } from '../database/agent-database.ts';
import type { TrashTable } from '../database/schema.ts';
import type { TrashEntry, TrashStore } from '../ports/trash-store.ts';

/** Creates the store of the trash index. */
export function createTrashStore({ db }: AgentDatabase): TrashStore {
  return {
    async add(owner, { id, path, kind, by, deletedAtMs, reason }) {
      const row = { owner, id, path, kind, deleted_by: by, deleted_at: deletedAtMs, reason };
      await db.insertInto('trash').values(row).execute();
    },
    async list(owner) {
      const rows = await db
        .selectFrom('trash')
        .selectAll()
        .where('owner', '=', owner)
        .orderBy('deleted_at', 'desc')
        .orderBy('id', 'desc')
        .execute();
      return rows.map(toEntry);
    },
    async find(owner, id) {
      const row = await db
        .selectFrom('trash')
        .selectAll()
        .where('owner', '=', owner)
        .where('id', '=', id)
        .executeTakeFirst();
      return row && toEntry(row);
    },
    async take(owner, id) {
      const row = await db
        .deleteFrom('trash')
        .where('owner', '=', owner)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      return row && toEntry(row);
    },
    async takeBefore(owner, beforeMs) {
      const rows = await db
        .deleteFrom('trash')
        .where('owner', '=', owner)
        .where('deleted_at', '<', beforeMs)
        .returningAll()
        .execute();
      return rows.map(toEntry);
    },
  };
}

function toEntry(row: Selectable<TrashTable>): TrashEntry {
  return {
    id: row.id,
    path: row.path,
    kind: row.kind as TrashEntry['kind'],
    by: row.deleted_by as TrashEntry['by'],
    deletedAtMs: row.deleted_at,
    reason: row.reason,
  };
}
