import { sql } from 'kysely';
import type { AgentDatabase } from '../database/agent-database.ts';
import type { AgentStores } from '../ports/agent-stores.ts';
import { AUTHORIZATIONS_KEPT } from '../ports/connector-stores.ts';
import { isSealedOtherwise } from './create-grant-store.ts';

/** The stores of connectors, except their credentials. */
type ConnectorStores = Pick<
  AgentStores,
  'connectorSwitches' | 'connectorLists' | 'connectorCalls' | 'authorizations' | 'oauthClients'
>;

/** Creates the stores of connectors' switches, lists, call counters, pending authorizations and OAuth clients. */
export function createConnectorStores({ db }: AgentDatabase): ConnectorStores {
  const clients = db.selectFrom('connector_clients').select(['id', 'sealed', 'created_at as createdAtMs']);
  const findClient = (id: string) => clients.where('id', '=', id).executeTakeFirst();
  return {
    connectorSwitches: {
      async set({ isOn, ...connector }) {
        const is_on = isOn ? 1 : 0;
        await db
          .insertInto('connector_switches')
          .values({ ...connector, is_on })
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
        return rows.map(({ is_on, ...connector }) => ({ ...connector, isOn: is_on === 1 }));
      },
    },

    connectorLists: {
      find: (owner, connector) =>
        db
          .selectFrom('connector_lists')
          .select(['server', 'version', 'lists', 'read_at as readAtMs', 'stale_at as staleAtMs'])
          .where('owner', '=', owner)
          .where('connector', '=', connector)
          .executeTakeFirst(),
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
    },

    connectorCalls: {
      /** One row per owner and connector, updated in one statement. */
      count(owner, connector, { calls, nowMs, windowMs }) {
        // The instances' clocks differ a little. A window that begins much later than now is from a clock that was set
        // back.
        const isOver = sql`connector_calls.began_at not between ${nowMs - windowMs + 1} and ${nowMs + windowMs - 1}`;
        return db
          .insertInto('connector_calls')
          .values({ owner, connector, began_at: nowMs, calls })
          .onConflict((conflict) =>
            conflict.columns(['owner', 'connector']).doUpdateSet({
              began_at: sql<number>`case when ${isOver} then ${nowMs} else connector_calls.began_at end`,
              calls: sql<number>`case when ${isOver} then ${calls} else connector_calls.calls + ${calls} end`,
            }),
          )
          .returning(['began_at as beganAtMs', 'calls'])
          .executeTakeFirstOrThrow();
      },
    },

    authorizations: {
      async put({ stateHash, owner, sealed, expiresAtMs }) {
        await db
          .insertInto('connector_authorizations')
          .values({ state_hash: stateHash, owner, sealed, expires_at: expiresAtMs })
          .execute();
        const newest = db
          .selectFrom('connector_authorizations')
          .select('state_hash')
          .where('owner', '=', owner)
          .orderBy('expires_at', 'desc')
          .orderBy('state_hash')
          .limit(AUTHORIZATIONS_KEPT);
        const deletion = db.deleteFrom('connector_authorizations').where('owner', '=', owner);
        await deletion.where('state_hash', 'not in', newest).execute();
      },
      find: (stateHash, nowMs) =>
        db
          .selectFrom('connector_authorizations')
          .select(AUTHORIZATION)
          .where('state_hash', '=', stateHash)
          .where('expires_at', '>', nowMs)
          .executeTakeFirst(),
      async take(stateHash, nowMs) {
        const deletion = db.deleteFrom('connector_authorizations').where('state_hash', '=', stateHash);
        const taken = await deletion.returning(AUTHORIZATION).executeTakeFirst();
        return taken && taken.expiresAtMs > nowMs ? taken : undefined;
      },
      async purge(nowMs) {
        await db.deleteFrom('connector_authorizations').where('expires_at', '<=', nowMs).execute();
      },
    },

    oauthClients: {
      find: findClient,
      async add(client) {
        const { id, sealed, createdAtMs } = client;
        await db
          .insertInto('connector_clients')
          .values({ id, sealed, created_at: createdAtMs })
          .onConflict((conflict) => conflict.column('id').doNothing())
          .execute();
        return (await findClient(id)) ?? client;
      },
      async remove(id, sealed) {
        await db.deleteFrom('connector_clients').where('id', '=', id).where('sealed', '=', sealed).execute();
      },
      listSealedOtherwise: (prefix, limit, afterId = '') =>
        clients.where('id', '>', afterId).where(isSealedOtherwise(prefix)).orderBy('id').limit(limit).execute(),
      async reseal({ id, sealed: before }, sealed) {
        const update = db.updateTable('connector_clients').set({ sealed });
        await update.where('id', '=', id).where('sealed', '=', before).execute();
      },
    },
  };
}

const AUTHORIZATION = ['state_hash as stateHash', 'owner', 'sealed', 'expires_at as expiresAtMs'] as const;
