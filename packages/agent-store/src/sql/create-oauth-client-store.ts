import type { Selectable } from 'kysely';
import type { AgentDatabase } from '../database/agent-database.ts';
import type { ConnectorClientsTable } from '../database/schema.ts';
import type { OAuthClientStore, StoredOAuthClient } from '../ports/oauth-client-store.ts';

/** Creates the store of OAuth clients. */
export function createOAuthClientStore({ db }: AgentDatabase): OAuthClientStore {
  const find = async (id: string) => {
    const row = await db.selectFrom('connector_clients').selectAll().where('id', '=', id).executeTakeFirst();
    return row && toClient(row);
  };
  return {
    find,
    async add(client) {
      const { id, sealed, createdAtMs } = client;
      await db
        .insertInto('connector_clients')
        .values({ id, sealed, created_at: createdAtMs })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute();
      return (await find(id)) ?? client;
    },
    async remove(id, sealed) {
      await db.deleteFrom('connector_clients').where('id', '=', id).where('sealed', '=', sealed).execute();
    },
    async listSealedOtherwise(prefix, limit, afterId = '') {
      const rows = await db
        .selectFrom('connector_clients')
        .selectAll()
        .where('id', '>', afterId)
        .where((where) => where(where.fn('substr', ['sealed', where.val(1), where.val(prefix.length)]), '!=', prefix))
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(toClient);
    },
    async reseal({ id, sealed: before }, sealed) {
      await db
        .updateTable('connector_clients')
        .set({ sealed })
        .where('id', '=', id)
        .where('sealed', '=', before)
        .execute();
    },
  };
}

function toClient(row: Selectable<ConnectorClientsTable>): StoredOAuthClient {
  return { id: row.id, sealed: row.sealed, createdAtMs: row.created_at };
}
