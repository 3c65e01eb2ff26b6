import type { Selectable } from 'kysely';
import type { AgentDatabase } from '../database/agent-database.ts';
import type { SharesTable } from '../database/schema.ts';
import type { OwnerKey } from '../ports/owner-key.ts';
import type { ShareStore, StoredShare } from '../ports/share-store.ts';

const COLUMNS = ['owner', 'token_hash', 'path', 'audience', 'is_live', 'title', 'created_at', 'expires_at'] as const;

/** Creates the store of shares. */
export function createShareStore({ db }: AgentDatabase): ShareStore {
  return {
    async add(share) {
      await db
        .insertInto('shares')
        .values({
          owner: share.owner,
          token_hash: share.tokenHash,
          path: share.path,
          audience: share.audience,
          is_live: share.isLive ? 1 : 0,
          title: share.title,
          created_at: share.createdAtMs,
          expires_at: share.expiresAtMs ?? null,
          snapshot: JSON.stringify(share.snapshot ?? null),
        })
        .execute();
    },
    async list(owner) {
      const rows = await db
        .selectFrom('shares')
        .select(COLUMNS)
        .where('owner', '=', owner)
        .orderBy('created_at', 'desc')
        .orderBy('token_hash')
        .execute();
      return rows.map(toRow);
    },
    async find(owner, tokenHash) {
      const row = await db
        .selectFrom('shares')
        .selectAll()
        .where('owner', '=', owner)
        .where('token_hash', '=', tokenHash)
        .executeTakeFirst();
      return row && { ...toRow(row), snapshot: JSON.parse(row.snapshot) as unknown };
    },
    async remove(owner, tokenHash) {
      const { numDeletedRows } = await db
        .deleteFrom('shares')
        .where('owner', '=', owner)
        .where('token_hash', '=', tokenHash)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

function toRow(row: Omit<Selectable<SharesTable>, 'snapshot'>): Omit<StoredShare, 'snapshot'> {
  return {
    tokenHash: row.token_hash,
    owner: row.owner as OwnerKey,
    path: row.path,
    audience: row.audience,
    isLive: row.is_live === 1,
    title: row.title,
    createdAtMs: row.created_at,
    ...(row.expires_at !== null && { expiresAtMs: row.expires_at }),
  };
}
