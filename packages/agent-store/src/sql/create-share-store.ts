import type { AgentDatabase } from '../database/agent-database.ts';
import type { AgentSchema } from '../database/schema.ts';
import type { ShareStore, StoredShare } from '../ports/share-store.ts';

const COLUMNS = [
  ...(['owner', 'token_hash', 'sealed_token', 'path', 'audience'] as const),
  ...(['is_live', 'title', 'created_at', 'expires_at'] as const),
] as const;

/** Creates the store of shares. */
export function createShareStore({ db }: AgentDatabase): ShareStore {
  const ofToken = (tokenHash: string) => db.selectFrom('shares').selectAll().where('token_hash', '=', tokenHash);
  return {
    async add({ owner, tokenHash, sealedToken, path, audience, isLive, title, createdAtMs, expiresAtMs, snapshot }) {
      await db
        .insertInto('shares')
        .values({
          owner,
          token_hash: tokenHash,
          sealed_token: sealedToken ?? null,
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
      const row = await ofToken(tokenHash).where('owner', '=', owner).executeTakeFirst();
      return row && toWholeShare(row);
    },
    async findByToken(tokenHash) {
      const row = await ofToken(tokenHash).executeTakeFirst();
      return row && toWholeShare(row);
    },
    async remove(owner, tokenHash) {
      const deletion = db.deleteFrom('shares').where('owner', '=', owner).where('token_hash', '=', tokenHash);
      return (await deletion.executeTakeFirst()).numDeletedRows > 0n;
    },
  };
}

function toWholeShare(row: AgentSchema['shares']): StoredShare {
  return { ...toShare(row), snapshot: JSON.parse(row.snapshot) as unknown };
}

function toShare(row: Omit<AgentSchema['shares'], 'snapshot'>): Omit<StoredShare, 'snapshot'> {
  return {
    tokenHash: row.token_hash,
    ...(row.sealed_token !== null && { sealedToken: row.sealed_token }),
    owner: row.owner,
    path: row.path,
    audience: row.audience,
    isLive: row.is_live === 1,
    title: row.title,
    createdAtMs: row.created_at,
    ...(row.expires_at !== null && { expiresAtMs: row.expires_at }),
  };
}
