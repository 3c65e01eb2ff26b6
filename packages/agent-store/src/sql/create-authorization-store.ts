import type { Selectable } from 'kysely';
import type { AgentDatabase } from '../database/agent-database.ts';
import type { ConnectorAuthorizationsTable } from '../database/schema.ts';
import {
  AUTHORIZATIONS_KEPT,
  type AuthorizationStore,
  type StoredAuthorization,
} from '../ports/authorization-store.ts';
import type { OwnerKey } from '../ports/owner-key.ts';

/** Creates the store of pending authorizations. */
export function createAuthorizationStore({ db }: AgentDatabase): AuthorizationStore {
  return {
    async put({ stateHash, owner, sealed, expiresAtMs }) {
      await db
        .insertInto('connector_authorizations')
        .values({ state_hash: stateHash, owner, sealed, expires_at: expiresAtMs })
        .execute();
      await db
        .deleteFrom('connector_authorizations')
        .where('owner', '=', owner)
        .where('state_hash', 'not in', (query) =>
          query
            .selectFrom('connector_authorizations')
            .select('state_hash')
            .where('owner', '=', owner)
            .orderBy('expires_at', 'desc')
            .orderBy('state_hash')
            .limit(AUTHORIZATIONS_KEPT),
        )
        .execute();
    },
    async find(stateHash, nowMs) {
      const row = await db
        .selectFrom('connector_authorizations')
        .selectAll()
        .where('state_hash', '=', stateHash)
        .where('expires_at', '>', nowMs)
        .executeTakeFirst();
      return row && toAuthorization(row);
    },
    async take(stateHash, nowMs) {
      const row = await db
        .deleteFrom('connector_authorizations')
        .where('state_hash', '=', stateHash)
        .returningAll()
        .executeTakeFirst();
      return row && row.expires_at > nowMs ? toAuthorization(row) : undefined;
    },
    async purge(nowMs) {
      await db.deleteFrom('connector_authorizations').where('expires_at', '<=', nowMs).execute();
    },
  };
}

function toAuthorization(row: Selectable<ConnectorAuthorizationsTable>): StoredAuthorization {
  return {
    stateHash: row.state_hash,
    owner: row.owner as OwnerKey,
    sealed: row.sealed,
    expiresAtMs: row.expires_at,
  };
}
