import { type ApiKey, type CreatedKey, createError, createValidationError, type Scope } from '@berth/contract';
import type { ApiKeysTable, Database } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Transaction } from 'kysely';
import type { AuditSource, ServiceDeps } from '../audit/audit-log.ts';
import { createKeySecret, hashSecret, startOfSecret } from '../secrets/secrets.ts';

/** Keys per account that are neither revoked nor expired. More point to a leak in a script. */
const MAX_ACTIVE_KEYS = 500;

/** A new API key. */
export interface NewKey {
  readonly accountId: AccountId;
  /** The person who creates the key. */
  readonly userId?: string | undefined;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Epoch milliseconds, wall clock; absent: never. */
  readonly expiresAtMs?: number | undefined;
  /** A secret that the operator chose; absent: a random one. */
  readonly secret?: string | undefined;
}

/** The API keys of all accounts. Only hashes are stored. */
export interface Keys {
  /**
   * Creates a key, within `transaction` if given. The secret is returned here and never again.
   * @throws `invalid` for an expiry in the past; `too_many_requests` when the account has too many keys.
   */
  create(key: NewKey, source: AuditSource, transaction?: Transaction<Database>): Promise<CreatedKey>;
  /** The account's keys that were not revoked, newest first. */
  list(accountId: AccountId): Promise<readonly ApiKey[]>;
  /**
   * Revokes a key at once and for good. Idempotent.
   * @throws `forbidden` for another account's key; `not_found` for an unknown one.
   */
  revoke(key: { readonly accountId: AccountId; readonly keyId: string }, source: AuditSource): Promise<void>;
}

export function createKeys({ db, clock, ids, audit }: ServiceDeps): Keys {
  const countActive = async (accountId: AccountId, transaction: Transaction<Database>): Promise<number> => {
    const { count } = await transaction
      .selectFrom('api_keys')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('account_id', '=', accountId)
      .where('revoked_at', 'is', null)
      .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', clock.nowMs())]))
      .executeTakeFirstOrThrow();
    return Number(count);
  };

  const insert = async (key: NewKey, source: AuditSource, transaction: Transaction<Database>): Promise<CreatedKey> => {
    const { accountId, userId, name, scopes, expiresAtMs, secret = createKeySecret() } = key;
    if ((await countActive(accountId, transaction)) >= MAX_ACTIVE_KEYS) {
      throw createError(
        'too_many_requests',
        `The account has ${MAX_ACTIVE_KEYS} keys, the maximum. Revoke unused keys first.`,
      );
    }
    const row: ApiKeysTable = {
      id: ids.next('key'),
      account_id: accountId,
      user_id: userId ?? null,
      name,
      start: startOfSecret(secret),
      hash: hashSecret(secret),
      scopes: JSON.stringify([...new Set(scopes)]),
      expires_at: expiresAtMs ?? null,
      last_used_at: null,
      revoked_at: null,
      created_at: clock.nowMs(),
    };
    await transaction.insertInto('api_keys').values(row).execute();
    const details = { name, scopes };
    await audit.record({ ...source, accountId, action: 'key.create', target: row.id, details }, transaction);
    return { ...toApiKey(row), secret };
  };

  return {
    async create(key, source, transaction) {
      if (key.expiresAtMs !== undefined && key.expiresAtMs <= clock.nowMs()) {
        throw createValidationError([
          { loc: ['body', 'expires_at'], msg: 'must be in the future', type: 'in_the_past' },
        ]);
      }
      return transaction
        ? insert(key, source, transaction)
        : db.transaction().execute((own) => insert(key, source, own));
    },
    async list(accountId) {
      const rows = await db
        .selectFrom('api_keys')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('revoked_at', 'is', null)
        .orderBy('id', 'desc')
        .execute();
      return rows.map(toApiKey);
    },
    async revoke({ accountId, keyId }, source) {
      await db.transaction().execute(async (transaction) => {
        const row = await transaction
          .selectFrom('api_keys')
          .select(['account_id', 'revoked_at'])
          .where('id', '=', keyId)
          .executeTakeFirst();
        if (!row) throw createError('not_found', 'The account has no API key with this ID.');
        if (row.account_id !== accountId) throw createError('forbidden', 'This key belongs to another account.');
        if (row.revoked_at !== null) return;
        await transaction
          .updateTable('api_keys')
          .set({ revoked_at: clock.nowMs() })
          .where('id', '=', keyId)
          .where('account_id', '=', accountId)
          .execute();
        await audit.record({ ...source, accountId, action: 'key.revoke', target: keyId }, transaction);
      });
    },
  };
}

function toApiKey(row: ApiKeysTable): ApiKey {
  return {
    id: row.id,
    name: row.name,
    start: row.start,
    scopes: JSON.parse(row.scopes) as Scope[],
    expires_at: toTime(row.expires_at),
    last_used_at: toTime(row.last_used_at),
    created_at: new Date(row.created_at).toISOString(),
  };
}

function toTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
