import { sql } from 'kysely';
import type { AgentDatabase } from '../database/agent-database.ts';
import type { AgentSchema } from '../database/schema.ts';
import type { GrantStore, StoredGrant } from '../ports/connector-stores.ts';

const COLUMNS = ['owner', 'connector', 'version', 'sealed', 'is_rejected', 'connected_at'] as const;

/** Creates the store of credentials; each call is one statement. */
export function createGrantStore({ db }: AgentDatabase): GrantStore {
  const grants = db.selectFrom('connector_grants').select(COLUMNS);
  const update = (set: Partial<AgentSchema['connector_grants']>) => db.updateTable('connector_grants').set(set);
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
      const row = await grants.where('owner', '=', owner).where('connector', '=', connector).executeTakeFirst();
      return row && toGrant(row);
    },
    async listOf(owners) {
      if (owners.length === 0) return [];
      return (await grants.where('owner', 'in', owners).execute()).map(toGrant);
    },
    async replace({ owner, connector, version }, change) {
      const { numUpdatedRows } = await update({ ...change, is_rejected: 0 })
        .where((where) => where.and({ owner, connector, version }))
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async markRejected({ owner, connector, version }) {
      await update({ is_rejected: 1 })
        .where((where) => where.and({ owner, connector, version }))
        .execute();
    },
    async remove(owner, connector) {
      const deletion = db.deleteFrom('connector_grants').where('owner', '=', owner).where('connector', '=', connector);
      const row = await deletion.returning(COLUMNS).executeTakeFirst();
      return row && toGrant(row);
    },
    async lease(owner, connector, { holder, nowMs, untilMs }) {
      const { numUpdatedRows } = await update({ lease_holder: holder, lease_until: untilMs })
        .where((where) => where.and({ owner, connector }))
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
      await update({ lease_holder: null, lease_until: null })
        .where((where) => where.and({ owner, connector, lease_holder: holder }))
        .execute();
    },
    async listSealedOtherwise(prefix, limit, after) {
      const query = after
        ? grants.where(sql<boolean>`(owner, connector) > (${after.owner}, ${after.connector})`)
        : grants;
      const rows = await query
        .where(isSealedOtherwise(prefix))
        .orderBy('owner')
        .orderBy('connector')
        .limit(limit)
        .execute();
      return rows.map(toGrant);
    },
    async reseal({ owner, connector, version, sealed: before }, sealed) {
      await update({ sealed })
        .where((where) => where.and({ owner, connector, version, sealed: before }))
        .execute();
    },
  };
}

/** Matches rows whose text is not sealed with a key. Not a pattern, since key ids may contain wildcard characters. */
export function isSealedOtherwise(prefix: string) {
  return sql<boolean>`substr(sealed, 1, ${prefix.length}) != ${prefix}`;
}

function toGrant(row: Pick<AgentSchema['connector_grants'], (typeof COLUMNS)[number]>): StoredGrant {
  const { is_rejected, connected_at: connectedAtMs, ...grant } = row;
  return { ...grant, isRejected: is_rejected === 1, connectedAtMs };
}
