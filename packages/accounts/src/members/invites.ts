import {
  type CreatedInvite,
  createError,
  type Invite,
  type JoinRequest,
  type OwnAccount,
  type Role,
  type ShownInvite,
} from '@berth/contract';
import { type AccountInvitesTable, type Database, isUniqueViolation } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { MailLanguage } from '@berth/mail';
import type { Kysely, Transaction } from 'kysely';
import type { AuditSource, ServiceDeps } from '../audit/audit-log.ts';
import { nameActors } from '../audit/name-actors.ts';
import { createRateLimiter } from '../limits/rate-limiter.ts';
import type { AccountMail } from '../mail/account-mail.ts';
import { insertMember, insertUser } from '../people/insert-user.ts';
import { hashPassword } from '../secrets/password-hash.ts';
import { createSecret, hashSecret } from '../secrets/secrets.ts';
import type { SessionPlace } from '../sessions/session-place.ts';
import type { NewSession, Sessions } from '../sessions/sessions.ts';
import { type Manager, requireManages } from './members.ts';

const LIFE_MS = 7 * 24 * 60 * 60 * 1_000;
/** E-mail addresses that one link may be tried with, because each answer reveals whether an address is taken. */
const JOIN_RULE = { windowSeconds: 60 * 60, max: 10 } as const;
/** Open invitations per account. */
const MAX_OPEN = 200;

/**
 * Links that let a person join an account. The secret is stored as a hash. It follows `#` in the link, so that no server or
 * proxy logs it. It is valid once, for seven days, and only while its creator could still create it.
 */
export type Invites = ReturnType<typeof createInvites>;

/** An invitation to create. */
export interface NewInvite {
  readonly role: Role;
  /** The only address that may use it, to which the link is mailed. */
  readonly email?: string | null | undefined;
  /** The inviter's language. */
  readonly language?: MailLanguage | undefined;
}

export interface CreateInvitesOptions extends ServiceDeps {
  readonly sessions: Pick<Sessions, 'create'>;
  /** The address of the console, which the links open. */
  readonly baseUrl: string;
  readonly accountMail: AccountMail | undefined;
}

export function createInvites(options: CreateInvitesOptions) {
  const { db, clock, ids, audit, sessions, baseUrl, accountMail } = options;
  const limiter = createRateLimiter(clock);
  const openOnes = (from: Kysely<Database>) =>
    from
      .selectFrom('account_invites as invite')
      .innerJoin('accounts as account', 'account.id', 'invite.account_id')
      .selectAll('invite')
      .select('account.name')
      .where('invite.expires_at', '>', clock.nowMs());

  const get = async (token: string, from: Kysely<Database>) => {
    const row = await openOnes(from).where('invite.hash', '=', hashSecret(token)).executeTakeFirst();
    if (row) return row;
    throw createError('not_found', 'This invitation has been used, revoked or has expired. Ask for a new one.');
  };

  /** Uses the link up. */
  const enter = async (
    row: AccountInvitesTable,
    person: { readonly id: string; readonly email: string },
    source: AuditSource,
    transaction: Transaction<Database>,
  ): Promise<void> => {
    if (row.email !== null && row.email !== person.email.toLowerCase()) {
      throw wrongAddress();
    }
    const accountId = row.account_id as AccountId;
    await transaction.deleteFrom('account_invites').where('id', '=', row.id).execute();
    await insertMember({ accountId, userId: person.id, role: row.role }, clock, transaction);
    const details = { role: row.role, invite: row.id };
    await audit.record({ ...source, accountId, action: 'member.join', target: person.id, details }, transaction);
  };

  /** Puts the link into the outbox, in the language of the invited person or else in that of the inviter. */
  const mailLink = async (
    row: AccountInvitesTable & { readonly email: string },
    { link, language }: { readonly link: string; readonly language: MailLanguage | undefined },
    transaction: Transaction<Database>,
  ): Promise<void> => {
    const accounts = transaction.selectFrom('accounts').select('name').where('id', '=', row.account_id);
    const { name: account } = await accounts.executeTakeFirstOrThrow();
    const users = transaction.selectFrom('auth_users').select(['name', 'language']);
    const inviter = await users.where('id', '=', row.invited_by ?? '').executeTakeFirst();
    const invited = await users.where('email', '=', row.email).executeTakeFirst();
    await accountMail?.outbox.put(
      {
        to: row.email,
        accountId: row.account_id,
        expiresAtMs: row.expires_at,
        language: invited?.language ?? inviter?.language ?? language ?? 'en',
        letter: { kind: 'invite', account, inviter: inviter?.name ?? null, role: row.role, link },
      },
      transaction,
    );
  };

  return {
    /** @throws `forbidden` for a role that the manager may not grant; `too_many_requests` */
    async create(manager: Manager, { role, email, language }: NewInvite, source: AuditSource): Promise<CreatedInvite> {
      requireManages(manager, role);
      const { accountId, userId } = manager;
      if (email) await accountMail?.take(email, accountId);
      return db.transaction().execute(async (transaction) => {
        const nowMs = clock.nowMs();
        await transaction.deleteFrom('account_invites').where('expires_at', '<=', nowMs).execute();
        const rows = await openOnes(transaction).where('invite.account_id', '=', accountId).execute();
        if (rows.length >= MAX_OPEN) {
          throw createError('too_many_requests', `${MAX_OPEN} invitations are open, the maximum. Revoke some first.`);
        }
        const token = createSecret();
        const row: AccountInvitesTable = {
          id: ids.next('inv'),
          account_id: accountId,
          hash: hashSecret(token),
          role,
          email: email?.toLowerCase() ?? null,
          invited_by: userId ?? null,
          created_at: nowMs,
          expires_at: nowMs + LIFE_MS,
        };
        await transaction.insertInto('account_invites').values(row).execute();
        const details = { role, email: row.email };
        await audit.record({ ...source, accountId, action: 'member.invite', target: row.id, details }, transaction);
        const link = new URL(`/join#${token}`, baseUrl).href;
        const isMailed = accountMail !== undefined && row.email !== null;
        if (row.email !== null) await mailLink({ ...row, email: row.email }, { link, language }, transaction);
        return { ...toInvite(row), link, is_mailed: isMailed };
      });
    },

    async list({ accountId }: Manager): Promise<readonly Invite[]> {
      const query = openOnes(db).where('invite.account_id', '=', accountId);
      return (await query.orderBy('invite.id', 'desc').execute()).map(toInvite);
    },

    /** @throws `not_found`, `forbidden` */
    remove: (manager: Manager, id: string, source: AuditSource): Promise<void> =>
      db.transaction().execute(async (transaction) => {
        const { accountId } = manager;
        const query = openOnes(transaction).where('invite.account_id', '=', accountId).where('invite.id', '=', id);
        const row = await query.executeTakeFirst();
        if (!row) throw createError('not_found', 'The account has no open invitation with this ID.');
        requireManages(manager, row.role);
        await transaction.deleteFrom('account_invites').where('id', '=', id).execute();
        const details = { email: row.email };
        await audit.record({ ...source, accountId, action: 'member.uninvite', target: id, details }, transaction);
      }),

    /** Describes an invitation. @throws `not_found` */
    async show(token: string): Promise<ShownInvite> {
      const { account_id: id, name, role, email, expires_at, invited_by } = await get(token, db);
      const nameOf = await nameActors(db, id as AccountId, [{ kind: 'session', id: invited_by }]);
      return {
        account: { id, name },
        ...{ role, email, expires_at: new Date(expires_at).toISOString() },
        invited_by: nameOf({ kind: 'session', id: invited_by }).name,
      };
    },

    /** Creates a person with the link, and a session. @throws `not_found`, `forbidden`, `too_many_requests` */
    async join(
      { token, email, password, name }: JoinRequest,
      place: SessionPlace,
      requestId: string,
    ): Promise<NewSession> {
      const { id } = await get(token, db);
      limiter.take(id, JOIN_RULE);
      // Hashed outside the transaction, because it takes a tenth of a second.
      const passwordHash = await hashPassword(password);
      const user = { id: ids.next('usr'), name, email: email.toLowerCase() };
      try {
        return await db.transaction().execute(async (transaction) => {
          const row = await get(token, transaction);
          await insertUser({ ...user, passwordHash, clock, ids }, transaction);
          await enter(row, user, { actor: { kind: 'session', id: user.id }, requestId }, transaction);
          return { token: await sessions.create(user.id, place, transaction), user };
        });
      } catch (error) {
        throw isUniqueViolation(error) ? wrongAddress() : error;
      }
    },

    /** Adds an existing person. @throws `not_found`, `forbidden`, `conflict` for a member */
    accept: (token: string, userId: string, source: AuditSource): Promise<OwnAccount> =>
      db.transaction().execute(async (transaction) => {
        const row = await get(token, transaction);
        const members = transaction.selectFrom('account_members').select('role').where('user_id', '=', userId);
        const member = await members.where('account_id', '=', row.account_id).executeTakeFirst();
        if (member) throw createError('conflict', `You are already a member of ${row.name}.`);
        const users = transaction.selectFrom('auth_users').select(['id', 'email']).where('id', '=', userId);
        await enter(row, await users.executeTakeFirstOrThrow(), source, transaction);
        return { id: row.account_id, name: row.name, role: row.role, is_current: false };
      }),

    /**
     * Adds a person within `transaction`. A member keeps their role, and the link stays valid.
     * @throws `not_found`, `forbidden`
     */
    async admit(
      token: string,
      person: { readonly id: string; readonly email: string },
      source: AuditSource,
      transaction: Transaction<Database>,
    ): Promise<void> {
      const row = await get(token, transaction);
      const members = transaction.selectFrom('account_members').select('role').where('user_id', '=', person.id);
      if (await members.where('account_id', '=', row.account_id).executeTakeFirst()) return;
      await enter(row, person, source, transaction);
    },
  };
}

/** The same sentence for an invitation to another address and for a taken address, so that it doesn't reveal which. */
function wrongAddress(): Error {
  return createError(
    'forbidden',
    "This invitation can't be accepted with this e-mail address. If you already have a user, sign in and open the link again.",
  );
}

function toInvite({ id, role, email, created_at, expires_at }: AccountInvitesTable): Invite {
  const time = (ms: number) => new Date(ms).toISOString();
  return { id, role, email, created_at: time(created_at), expires_at: time(expires_at) };
}
