import { createError } from '@berth/contract';
import type { Database, DomainsTable } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Kysely, Selectable } from 'kysely';

/** An account's claim of a domain for one of its deployments. */
export interface DomainRecord {
  readonly accountId: AccountId;
  /** Lower-case ASCII. */
  readonly domain: string;
  readonly deployment: string;
  readonly status: 'pending' | 'active';
  /** Identifies the proof in a URL. */
  readonly token: string;
  /** The value that the owner of the domain publishes. */
  readonly proof: string;
  readonly createdAtMs: number;
  /** Null while pending. */
  readonly verifiedAtMs: number | null;
}

/** Domains in the database. When created with a transaction, every call is part of it. */
export interface DomainStore {
  find(account: AccountId, domain: string): Promise<DomainRecord | undefined>;
  /**
   * The account's domain.
   * @throws `forbidden` when another account has verified it, `not_found` when the account did not add it.
   */
  get(account: AccountId, domain: string): Promise<DomainRecord>;
  /** @throws `forbidden` when another account has verified the domain. */
  refuseForeign(account: AccountId, domain: string): Promise<void>;
  /** Oldest first; of one deployment when it is given. */
  list(account: AccountId, deployment?: string): Promise<DomainRecord[]>;
  count(account: AccountId): Promise<number>;
  insert(record: DomainRecord): Promise<void>;
  move(account: AccountId, domain: string, deployment: string): Promise<void>;
  /** @throws a unique violation when another account has verified it meanwhile. */
  activate(account: AccountId, domain: string, nowMs: number): Promise<void>;
  delete(account: AccountId, domain: string): Promise<void>;
}

export function createDomainStore(db: Kysely<Database>): DomainStore {
  const of = (account: AccountId) => db.selectFrom('domains').selectAll().where('account_id', '=', account);
  const find = async (account: AccountId, domain: string) => {
    const row = await of(account).where('domain', '=', domain).executeTakeFirst();
    return row && toRecord(row);
  };
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
    refuseForeign,
    async get(account, domain) {
      const record = await find(account, domain);
      if (record) return record;
      await refuseForeign(account, domain);
      throw createError('not_found', `The domain ${domain} was not added.`);
    },
    async list(account, deployment) {
      const rows = await of(account)
        .$if(deployment !== undefined, (query) => query.where('deployment', '=', deployment ?? ''))
        .orderBy('created_at')
        .orderBy('domain')
        .execute();
      return rows.map(toRecord);
    },
    async count(account) {
      const { count } = await db
        .selectFrom('domains')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('account_id', '=', account)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    async insert({ accountId, domain, deployment, status, token, proof, createdAtMs, verifiedAtMs }) {
      await db
        .insertInto('domains')
        .values({
          account_id: accountId,
          domain,
          deployment,
          status,
          token,
          proof,
          created_at: createdAtMs,
          verified_at: verifiedAtMs,
        })
        .execute();
    },
    async move(account, domain, deployment) {
      await db
        .updateTable('domains')
        .set({ deployment })
        .where('account_id', '=', account)
        .where('domain', '=', domain)
        .execute();
    },
    async activate(account, domain, nowMs) {
      await db
        .updateTable('domains')
        .set({ status: 'active', verified_at: nowMs })
        .where('account_id', '=', account)
        .where('domain', '=', domain)
        .execute();
    },
    async delete(account, domain) {
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
export async function isContested(db: Kysely<Database>, account: AccountId, domain: string): Promise<boolean> {
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

function toRecord(row: Selectable<DomainsTable>): DomainRecord {
  return {
    accountId: row.account_id as AccountId,
    domain: row.domain,
    deployment: row.deployment,
    status: row.status,
    token: row.token,
    proof: row.proof,
    createdAtMs: row.created_at,
    verifiedAtMs: row.verified_at,
  };
}
