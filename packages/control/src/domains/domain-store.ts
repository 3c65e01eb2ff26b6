import { createError } from '@berth/contract';
import type { Database, DomainsTable } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Kysely } from 'kysely';

/** Domains in the database. When created with a transaction, every call is part of it. */
export function createDomainStore(db: Kysely<Database>) {
  const of = (account: AccountId) => db.selectFrom('domains').selectAll().where('account_id', '=', account);
  const find = (account: AccountId, domain: string) => of(account).where('domain', '=', domain).executeTakeFirst();
  const refuseForeign = async (account: AccountId, domain: string) => {
    const row = await db
      .selectFrom('domains')
      .select('account_id')
      .where('domain', '=', domain)
      .where('status', '=', 'active')
      .executeTakeFirst();
    if (row && row.account_id !== account) throw belongsToAnother(domain);
  };
  return {
    find,
    /** @throws `forbidden` when another account has verified the domain. */
    refuseForeign,
    /**
     * The account's domain.
     * @throws `forbidden` when another account has verified it, `not_found` when the account did not add it.
     */
    async get(account: AccountId, domain: string): Promise<DomainsTable> {
      const record = await find(account, domain);
      if (record) return record;
      await refuseForeign(account, domain);
      throw createError('not_found', `The account has no domain ${domain}. Add it to a deployment first.`);
    },
    /** Oldest first; of one deployment when it is given. */
    list: (account: AccountId, deployment?: string): Promise<DomainsTable[]> =>
      of(account)
        .$if(deployment !== undefined, (query) => query.where('deployment', '=', deployment ?? ''))
        .orderBy('created_at')
        .orderBy('domain')
        .execute(),
    async count(account: AccountId): Promise<number> {
      const { count } = await db
        .selectFrom('domains')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('account_id', '=', account)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    async insert(record: DomainsTable): Promise<void> {
      await db.insertInto('domains').values(record).execute();
    },
    async move(account: AccountId, domain: string, deployment: string): Promise<void> {
      await db
        .updateTable('domains')
        .set({ deployment })
        .where('account_id', '=', account)
        .where('domain', '=', domain)
        .execute();
    },
    /** @throws a unique violation when another account has verified it meanwhile. */
    async activate(account: AccountId, domain: string, nowMs: number): Promise<void> {
      await db
        .updateTable('domains')
        .set({ status: 'active', verified_at: nowMs })
        .where('account_id', '=', account)
        .where('domain', '=', domain)
        .execute();
    },
    async delete(account: AccountId, domain: string): Promise<void> {
      await db.deleteFrom('domains').where('account_id', '=', account).where('domain', '=', domain).execute();
    },
  };
}

/** Returns every verified domain of all accounts, with its deployment. */
export async function listActiveDomains(db: Kysely<Database>): Promise<{ domain: string; deployment: string }[]> {
  return db.selectFrom('domains').select(['domain', 'deployment']).where('status', '=', 'active').execute();
}

/**
 * Returns the answer to a GET of the token's URL on `domain`, while that claim is the only one: a domain that points to the
 * platform proves that its owner chose the platform, but not which of several accounts.
 */
export async function findProofAnswer(
  db: Kysely<Database>,
  domain: string,
  token: string,
): Promise<string | undefined> {
  const claims = await db
    .selectFrom('domains')
    .select(['token', 'proof'])
    .where('domain', '=', domain)
    .limit(2)
    .execute();
  const [claim] = claims;
  return claims.length === 1 && claim?.token === token ? claim.proof : undefined;
}

/** Returns whether another account claims the domain too. */
export async function isContested(db: Kysely<Database>, account: string, domain: string): Promise<boolean> {
  const row = await db
    .selectFrom('domains')
    .select('domain')
    .where('domain', '=', domain)
    .where('account_id', '!=', account)
    .executeTakeFirst();
  return row !== undefined;
}

export function belongsToAnother(domain: string) {
  return createError('forbidden', `The domain ${domain} belongs to another account.`);
}
