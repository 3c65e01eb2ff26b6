import { createError, type Member, type OwnAccount, ROLE_RIGHTS, type Role } from '@berth/contract';
import type { Database } from '@berth/database';
import type { Kysely, Transaction } from 'kysely';
import type { AuditSource, ServiceDeps } from '../audit/audit-log.ts';
import { endAccessToAccount } from '../people/end-access.ts';
import type { Principal } from '../principal/principal.ts';

/** The caller who changes members; a key that no person created acts as the account itself. */
export type Manager = Pick<Principal, 'accountId' | 'userId' | 'role'>;

/**
 * The people of accounts. Invariants:
 * 1. `ROLE_RIGHTS` alone decides who may invite, change and remove whom; anyone may leave.
 * 2. An account that has owners keeps one.
 * 3. Removing a member revokes the keys they created, in the same transaction.
 */
export type Members = ReturnType<typeof createMembers>;

/** @throws `forbidden` unless the manager may grant and revoke this role. */
export function requireManages({ userId, role }: Pick<Manager, 'userId' | 'role'>, managed: Role): void {
  const rights = ROLE_RIGHTS[userId === undefined ? 'owner' : (role ?? 'member')];
  if (rights.manages.includes(managed)) return;
  throw createError(
    'forbidden',
    managed === 'owner' ? 'Only an owner can change owners.' : "Your role doesn't allow this.",
  );
}

export function createMembers({ db, clock, audit }: ServiceDeps) {
  const rowsOf = (accountId: string, from: Kysely<Database> = db) =>
    from
      .selectFrom('account_members as member')
      .innerJoin('auth_users as user', 'user.id', 'member.user_id')
      .select(['user.id', 'user.name', 'user.email', 'member.role', 'member.created_at'])
      .where('member.account_id', '=', accountId);
  type MemberRow = Awaited<ReturnType<ReturnType<typeof rowsOf>['execute']>>[number];

  const toMember = (row: MemberRow, manager: Manager): Member => ({
    user_id: row.id,
    name: row.name,
    email: row.email,
    role: row.role,
    joined_at: new Date(row.created_at).toISOString(),
    is_you: row.id === manager.userId,
  });

  const get = async (accountId: string, userId: string, transaction: Transaction<Database>): Promise<MemberRow> => {
    const row = await rowsOf(accountId, transaction).where('user.id', '=', userId).executeTakeFirst();
    if (!row) throw createError('not_found', 'The account has no member with this ID.');
    return row;
  };

  const requireAnotherOwner = async (accountId: string, transaction: Transaction<Database>): Promise<void> => {
    const owners = await rowsOf(accountId, transaction).where('member.role', '=', 'owner').execute();
    if (owners.length > 1) return;
    throw createError('conflict', 'This is the last owner of the account. Make another member an owner first.');
  };

  return {
    /** The account's people, in the order in which they joined. */
    async list(manager: Manager): Promise<readonly Member[]> {
      const rows = await rowsOf(manager.accountId).orderBy('member.created_at').orderBy('user.id').execute();
      return rows.map((row) => toMember(row, manager));
    },

    /** Changes a role. @throws `not_found`; `forbidden` for a role that the manager may not change; `conflict` for the last owner */
    change: (
      manager: Manager,
      { userId, role }: { readonly userId: string; readonly role: Role },
      source: AuditSource,
    ): Promise<Member> =>
      db.transaction().execute(async (transaction) => {
        const { accountId } = manager;
        const row = await get(accountId, userId, transaction);
        requireManages(manager, row.role);
        requireManages(manager, role);
        if (row.role === role) return toMember(row, manager);
        if (row.role === 'owner') await requireAnotherOwner(accountId, transaction);
        const update = transaction.updateTable('account_members').set({ role });
        await update.where('account_id', '=', accountId).where('user_id', '=', userId).execute();
        const details = { from: row.role, to: role };
        await audit.record({ ...source, accountId, action: 'member.change', target: userId, details }, transaction);
        return toMember({ ...row, role }, manager);
      }),

    /** @throws as {@link change} */
    remove: (manager: Manager, userId: string, source: AuditSource): Promise<void> =>
      db.transaction().execute(async (transaction) => {
        const { accountId } = manager;
        const row = await get(accountId, userId, transaction);
        const isLeaving = userId === manager.userId;
        if (!isLeaving) requireManages(manager, row.role);
        if (row.role === 'owner') await requireAnotherOwner(accountId, transaction);
        await endAccessToAccount({ userId, accountId, nowMs: clock.nowMs() }, transaction);
        await transaction
          .deleteFrom('account_members')
          .where('account_id', '=', accountId)
          .where('user_id', '=', userId)
          .execute();
        const action = isLeaving ? 'member.leave' : 'member.remove';
        await audit.record({ ...source, accountId, action, target: userId, details: { role: row.role } }, transaction);
      }),

    /** The accounts of a person, in the order in which they joined them. */
    async accountsOf(userId: string, currentId: string): Promise<readonly OwnAccount[]> {
      const rows = await db
        .selectFrom('account_members as member')
        .innerJoin('accounts as account', 'account.id', 'member.account_id')
        .select(['account.id', 'account.name', 'member.role'])
        .where('member.user_id', '=', userId)
        .orderBy('member.created_at')
        .orderBy('account.id')
        .execute();
      return rows.map(({ id, name, role }) => ({ id, name, role, is_current: id === currentId }));
    },
  };
}
