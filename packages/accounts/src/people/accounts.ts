import { type Account, type CreatedAccount, createError, SCOPES } from '@berth/contract';
import { type AccountsTable, type Database, isUniqueViolation } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Transaction } from 'kysely';
import { type AuditSource, type ServiceDeps, SYSTEM_SOURCE } from '../audit/audit-log.ts';
import type { Keys } from '../keys/keys.ts';
import { hashPassword } from '../secrets/password-hash.ts';
import { chosenSecretProblem, hashSecret } from '../secrets/secrets.ts';
import { insertMember, insertUser } from './insert-user.ts';

/** The plan of a new account unless one is given. */
const DEFAULT_PLAN = 'self-hosted';

/** A new account. */
export interface NewAccount {
  /** Unique; see `accountNameSchema`. */
  readonly name: string;
  readonly plan?: string | undefined;
  /** A person who can sign in for it. */
  readonly user?: { readonly email: string; readonly password: string; readonly name?: string | undefined } | undefined;
}

/** The accounts of the platform. */
export type Accounts = ReturnType<typeof createAccounts>;

export function createAccounts({ db, clock, ids, keys, audit }: ServiceDeps & { readonly keys: Keys }) {
  const insertAccount = async (
    { name, plan = DEFAULT_PLAN, isOperator = false }: Pick<NewAccount, 'name' | 'plan'> & { isOperator?: boolean },
    source: AuditSource,
    transaction: Transaction<Database>,
  ): Promise<AccountsTable & { readonly id: AccountId }> => {
    const id = ids.next<'account'>('acc');
    const row = { id, name, plan, is_operator: isOperator ? 1 : 0, created_at: clock.nowMs() };
    await transaction.insertInto('accounts').values(row).execute();
    const details = { name };
    await audit.record({ ...source, accountId: id, action: 'account.create', target: id, details }, transaction);
    return row;
  };

  return {
    /**
     * Creates an account, its first key (all scopes) and, if given, its person, atomically.
     * @throws `conflict` when the name or the e-mail address is taken.
     */
    async create({ name, plan, user }: NewAccount, source: AuditSource): Promise<CreatedAccount> {
      // Hashed outside the transaction, because it takes a tenth of a second.
      const passwordHash = user && (await hashPassword(user.password));
      try {
        return await db.transaction().execute(async (transaction) => {
          const account = await insertAccount({ name, plan }, source, transaction);
          const accountId = account.id;
          if (user && passwordHash) {
            const userId = ids.next('usr');
            await insertUser({ ...user, id: userId, passwordHash, clock, ids }, transaction);
            await insertMember({ accountId, userId, role: 'owner' }, clock, transaction);
          }
          const key = await keys.create({ accountId, name: 'first key', scopes: SCOPES }, source, transaction);
          return { account: toAccount(account), key };
        });
      } catch (error) {
        if (isUniqueViolation(error)) {
          throw createError(
            'conflict',
            'An account with this name, or a person with this e-mail address, already exists.',
          );
        }
        throw error;
      }
    },

    /** Returns true when the operator has an account. */
    async hasOperator(): Promise<boolean> {
      return (
        (await db.selectFrom('accounts').select('id').where('is_operator', '=', 1).executeTakeFirst()) !== undefined
      );
    },

    /**
     * Ensures that the operator's account exists and that `secret` is one of its keys. A revoked key stays revoked.
     * Store the secret before the call: it can't be read back afterwards.
     * @throws `invalid` for a secret that can't be a key; `conflict` for another account's key.
     */
    async ensureOperator({
      secret,
    }: {
      readonly secret: string;
    }): Promise<{ readonly account: Account; readonly isNew: boolean; readonly isRevoked: boolean }> {
      const problem = chosenSecretProblem(secret);
      if (problem !== undefined) throw createError('invalid', problem);
      return db.transaction().execute(async (transaction) => {
        const existing = await transaction
          .selectFrom('accounts')
          .selectAll()
          .where('is_operator', '=', 1)
          .executeTakeFirst();
        const account =
          existing ?? (await insertAccount({ name: 'operator', isOperator: true }, SYSTEM_SOURCE, transaction));
        const accountId = account.id as AccountId;
        const owner = await transaction
          .selectFrom('api_keys')
          .select(['account_id', 'revoked_at'])
          .where('hash', '=', hashSecret(secret))
          .executeTakeFirst();
        if (owner && owner.account_id !== accountId) {
          throw createError('conflict', "The operator's key belongs to another account. Choose another key.");
        }
        if (!owner) {
          await keys.create({ accountId, name: 'bootstrap', scopes: SCOPES, secret }, SYSTEM_SOURCE, transaction);
        }
        return { account: toAccount(account), isNew: !existing, isRevoked: (owner?.revoked_at ?? null) !== null };
      });
    },

    /** Creates an account for a person who signed up, as part of `transaction`. */
    async createForUser(
      { id, email }: { readonly id: string; readonly email: string },
      transaction: Transaction<Database>,
    ): Promise<void> {
      const localPart = email.split('@')[0] ?? '';
      const slug = localPart
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, '-')
        .replaceAll(/^-+|-+$/g, '')
        .slice(0, 30);
      // The end of the id keeps accounts of equal local parts apart.
      const name = `${slug || 'account'}-${id.slice(-10)}`;
      const account = await insertAccount({ name }, { actor: { kind: 'session', id } }, transaction);
      await insertMember({ accountId: account.id, userId: id, role: 'owner' }, clock, transaction);
    },
  };
}

/** Maps an account's row to the API's shape. */
export function toAccount(row: AccountsTable): Account {
  return { id: row.id, name: row.name, plan: row.plan, created_at: new Date(row.created_at).toISOString() };
}
