import type { Selectable } from 'kysely';
import type { AgentDatabase } from '../database/agent-database.ts';
import type { ConnectorGrantsTable } from '../database/schema.ts';
import type { GrantStore, StoredGrant } from '../ports/grant-store.ts';
import type { OwnerKey } from '../ports/owner-key.ts';

/** Creates the store of credentials; each call is one statement. */
export function createGrantStore({ db }: AgentDatabase): GrantStore {
  const of = (owner: OwnerKey, connector: string) => ({ owner: owner as string, connector });
  return {
    async put({ owner, connector, version, sealed, isRejected, connectedAtMs }) {
      const values = {
        version,
        sealed,
        is_rejected: isRejected ? 1 : 0,
        connected_at: connectedAtMs,
        lease_holder: null,
        lease_until: null,
      };
      await db
        .insertInto('connector_grants')
        .values({ owner, connector, ...values })
        .onConflict((conflict) => conflict.columns(['owner', 'connector']).doUpdateSet(values))
        .execute();
    },
    async find(owner, connector) {
      const row = await db
        .selectFrom('connector_grants')
        .selectAll()
        .where((where) => where.and(of(owner, connector)))
        .executeTakeFirst();
      return row && toGrant(row);
    },
    async listOf(owners) {
      if (owners.length === 0) return [];
      const rows = await db.selectFrom('connector_grants').selectAll().where('owner', 'in', owners).execute();
      return rows.map(toGrant);
    },
    async replace({ owner, connector, version }, change) {
      const { numUpdatedRows } = await db
        .updateTable('connector_grants')
        .set({ ...change, is_rejected: 0 })
        .where((where) => where.and({ ...of(owner, connector), version }))
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async markRejected({ owner, connector, version }) {
      await db
        .updateTable('connector_grants')
        .set({ is_rejected: 1 })
        .where((where) => where.and({ ...of(owner, connector), version }))
        .execute();
    },
    async remove(owner, connector) {
      const row = await db
        .deleteFrom('connector_grants')
        .where((where) => where.and(of(owner, connector)))
        .returningAll()
        .executeTakeFirst();
      return row && toGrant(row);
    },
    async lease(owner, connector, { holder, nowMs, untilMs }) {
      const { numUpdatedRows } = await db
        .updateTable('connector_grants')
        .set({ lease_holder: holder, lease_until: untilMs })
        .where((where) => where.and(of(owner, connector)))
        .where((where) =>
          where.or([
            where('lease_holder', 'is', null),
            where('lease_holder', '=', holder),
            where('lease_until', '<=', nowMs),
          ]),
        )
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async release(owner, connector, holder) {
      await db
        .updateTable('connector_grants')
        .set({ lease_holder: null, lease_until: null })
        .where((where) => where.and({ ...of(owner, connector), lease_holder: holder }))
        .execute();
    },
    async listSealedOtherwise(prefix, limit, after) {
      let query = db.selectFrom('connector_grants').selectAll();
      if (after) {
        query = query.where((where) =>
          where.or([
            where('owner', '>', after.owner),
            where.and([where('owner', '=', after.owner), where('connector', '>', after.connector)]),
          ]),
        );
      }
      const rows = await query
        // Compared as text rather than as a pattern: key ids may contain wildcard characters.
        .where((where) => where(where.fn('substr', ['sealed', where.val(1), where.val(prefix.length)]), '!=', prefix))
        .orderBy('owner')
        .orderBy('connector')
        .limit(limit)
        .execute();
      return rows.map(toGrant);
    },
    async reseal({ owner, connector, version, sealed: before }, sealed) {
      await db
        .updateTable('connector_grants')
        .set({ sealed })
        .where((where) => where.and({ ...of(owner, connector), version, sealed: before }))
        .execute();
    },
  };
}

function toGrant(row: Selectable<ConnectorGrantsTable>): StoredGrant {
  return {
    owner: row.owner as OwnerKey,
    connector: row.connector,
    version: row.version,
    sealed: row.sealed,
    isRejected: row.is_rejected === 1,
    connectedAtMs: row.connected_at,
  };
}
