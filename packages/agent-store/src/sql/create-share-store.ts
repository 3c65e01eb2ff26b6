import type { AgentDatabase } from '../database/agent-database.ts';
import type { AgentSchema } from '../database/schema.ts';
import type { ShareStore, StoredShare } from '../ports/share-store.ts';

const COLUMNS = ['owner', 'token_hash', 'path', 'audience', 'is_live', 'title', 'created_at', 'expires_at'] as const;

/** Creates the store of shares. */
export function createShareStore({ db }: AgentDatabase): ShareStore {
  return {
    async add({ owner, tokenHash, path, audience, isLive, title, createdAtMs, expiresAtMs, snapshot }) {
      await db
        .insertInto('shares')
        .values({
          owner,
          token_hash: tokenHash,
          path,
          audience,
          is_live: isLive ? 1 : 0,
          title,
          created_at: createdAtMs,
          expires_at: expiresAtMs ?? null,
          snapshot: JSON.stringify(snapshot ?? null),
        })
        .execute();
    },
    async list(owner) {
      const shares = db.selectFrom('shares').select(COLUMNS).where('owner', '=', owner);
      return (await shares.orderBy('created_at', 'desc').orderBy('token_hash').execute()).map(toShare);
    },
    async find(owner, tokenHash) {
      const shares = db.selectFrom('shares').selectAll().where('owner', '=', owner);
      const row = await shares.where('token_hash', '=', tokenHash).executeTakeFirst();
      return row && { ...toShare(row), snapshot: JSON.parse(row.snapshot) as unknown };
    },
    async remove(owner, tokenHash) {
      const deletion = db.deleteFrom('shares').where('owner', '=', owner).where('token_hash', '=', tokenHash);
      return (await deletion.executeTakeFirst()).numDeletedRows > 0n;
    },
  };
}

function toShare(row: Omit<AgentSchema['shares'], 'snapshot'>): Omit<StoredShare, 'snapshot'> {
  return {
    tokenHash: row.token_hash,
    owner: row.owner,
    path: row.path,
    audience: row.audience,
    isLive: row.is_live === 1,
    title: row.title,
    createdAtMs: row.created_at,
    ...(row.expires_at !== null && { expiresAtMs: row.expires_at }),
  };
}
