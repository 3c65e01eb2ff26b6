import type { AgentDatabase } from '../database/agent-database.ts';
import type { MemoryStore } from '../ports/memory-store.ts';

const MEMORY = ['id', 'text', 'made_by as by', 'created_at as createdAtMs', 'updated_at as updatedAtMs'] as const;

/** Creates the store of memories. */
export function createMemoryStore({ db }: AgentDatabase): MemoryStore {
  return {
    list: (owner) =>
      db.selectFrom('memories').select(MEMORY).where('owner', '=', owner).orderBy('created_at').orderBy('id').execute(),
    add: (owner, { id, text, by, createdAtMs, updatedAtMs }, limit) =>
      db.transaction().execute(async (transaction) => {
        const { count } = await transaction
          .selectFrom('memories')
          .select((eb) => eb.fn.countAll().as('count'))
          .where('owner', '=', owner)
          .executeTakeFirstOrThrow();
        if (Number(count) >= limit) return false;
        await transaction
          .insertInto('memories')
          .values({ owner, id, text, made_by: by, created_at: createdAtMs, updated_at: updatedAtMs })
          .execute();
        return true;
      }),
    update: (owner, id, { text, by, updatedAtMs }) =>
      db
        .updateTable('memories')
        .set({ text, made_by: by, updated_at: updatedAtMs })
        .where((eb) => eb.and({ owner, id }))
        .returning(MEMORY)
        .executeTakeFirst(),
    async remove(owner, id) {
      const query = db.deleteFrom('memories').where('owner', '=', owner);
      const { numDeletedRows } = await (id === undefined
        ? query
        : query.where('id', '=', id)
      ).executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    },
  };
}
