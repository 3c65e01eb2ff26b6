import { createError, type PasswordReset, type PasswordResetLink } from '@berth/contract';
import type { Database } from '@berth/database';
import type { MailLanguage } from '@berth/mail';
import type { Kysely, Transaction } from 'kysely';
import { type AuditSource, auditPerson, type ServiceDeps, SYSTEM_SOURCE } from '../audit/audit-log.ts';
import { type AccountMail, requireMail } from '../mail/account-mail.ts';
import { type Manager, requireManages } from '../members/members.ts';
import { endLinks, LINK_IDS } from '../people/end-access.ts';
import { PASSWORD_PROVIDER } from '../people/ways-to-sign-in.ts';
import type { Principal } from '../principal/principal.ts';
import { hashPassword } from '../secrets/password-hash.ts';
import { createSecret, hashSecret } from '../secrets/secrets.ts';
import type { SessionPlace } from '../sessions/session-place.ts';
import { endSessionsOf, type NewSession, type Sessions } from '../sessions/sessions.ts';

/** The life of a link. */
const LIFE_MS = 24 * 60 * 60 * 1_000;

/** The life of a link that was mailed. */
const MAILED_LIFE_MS = 60 * 60 * 1_000;

/** The caller who makes a link. */
export type Resetter = Manager & Pick<Principal, 'isOperator'>;

/** The maker of a link, as stored. */
interface Issuer {
  readonly accountId: string;
  /** Null for a key that no person created. */
  readonly userId: string | null;
  readonly isOperator: boolean;
}

/**
 * One-time links with which people set a new password. Invariants:
 * 1. Only owners make links: an owner of the operator's account for anyone, another owner for people who belong to no other
 *    account. A link for a person of two accounts would open the other account to the owner of the first.
 * 2. A link is checked again when it is used: its maker must still be allowed to make it.
 * 3. A link works once, for a day; a newer link for the same person replaces it. Only its hash is stored.
 * 4. No owner makes a link for themselves: a stolen session must not replace the password.
 * 5. A person without a session gets a link by mail only, at their own address, for an hour. Asking for one does the same work
 *    whether or not a person has the address.
 */
export type PasswordResets = ReturnType<typeof createPasswordResets>;

export interface CreatePasswordResetsOptions extends ServiceDeps {
  readonly sessions: Pick<Sessions, 'create'>;
  /** The address of the console, which the links open. */
  readonly baseUrl: string;
  readonly accountMail: AccountMail | undefined;
}

export function createPasswordResets(options: CreatePasswordResetsOptions) {
  const { db, clock, audit, sessions, baseUrl, accountMail } = options;
  const refusal = () =>
    createError('not_found', 'This link has been used or replaced, or has expired. Ask for a new one.');

  const membershipsOf = (userId: string, from: Kysely<Database>) =>
    from.selectFrom('account_members').select(['account_id', 'role']).where('user_id', '=', userId).execute();

  const hasPassword = async (userId: string, from: Kysely<Database>) =>
    (await from
      .selectFrom('auth_accounts')
      .select('id')
      .where('user_id', '=', userId)
      .where('provider_id', '=', PASSWORD_PROVIDER)
      .executeTakeFirst()) !== undefined;

  const mayStillIssue = async (
    { accountId, userId, isOperator }: Issuer,
    personId: string,
    from: Kysely<Database>,
  ): Promise<boolean> => {
    if (userId !== null) {
      const own = await membershipsOf(userId, from);
      if (!own.some(({ account_id, role }) => account_id === accountId && role === 'owner')) return false;
    }
    return isOperator || (await membershipsOf(personId, from)).every(({ account_id }) => account_id === accountId);
  };

  const get = async (token: string, from: Kysely<Database>) => {
    const row = await from
      .selectFrom('auth_verifications')
      .select(['id', 'identifier', 'expires_at'])
      .where('value', '=', hashSecret(token))
      .where((eb) =>
        eb.or([eb('id', 'like', `${LINK_IDS.passwordReset}%`), eb('id', 'like', `${LINK_IDS.mailedPasswordReset}%`)]),
      )
      .where('expires_at', '>', clock.nowMs())
      .executeTakeFirst();
    if (!row) throw refusal();
    const isMailed = row.id.startsWith(LINK_IDS.mailedPasswordReset);
    const userId = row.id.slice((isMailed ? LINK_IDS.mailedPasswordReset : LINK_IDS.passwordReset).length);
    const user = await from
      .selectFrom('auth_users')
      .select(['id', 'name', 'email'])
      .where('id', '=', userId)
      .executeTakeFirst();
    if (!user || !(await hasPassword(userId, from))) throw refusal();
    const isAllowed = isMailed
      ? row.identifier === user.email
      : await mayStillIssue(JSON.parse(row.identifier) as Issuer, userId, from);
    if (!isAllowed) throw refusal();
    return { id: row.id, expiresAtMs: row.expires_at, user };
  };

  /** Replaces the link of a person, and returns its token. */
  const store = async (
    id: string,
    { identifier, lifeMs }: { readonly identifier: string; readonly lifeMs: number },
    transaction: Kysely<Database>,
  ) => {
    const token = createSecret();
    const nowMs = clock.nowMs();
    const link = {
      identifier,
      value: hashSecret(token),
      expires_at: nowMs + lifeMs,
      created_at: nowMs,
      updated_at: nowMs,
    };
    await transaction
      .insertInto('auth_verifications')
      .values({ id, ...link })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(link))
      .execute();
    return { link: new URL(`/reset-password#${token}`, baseUrl).href, expiresAtMs: link.expires_at };
  };

  accountMail?.outbox.resolve('password_reset', async ({ to, language }, transaction) => {
    const users = transaction.selectFrom('auth_users').select(['id', 'name', 'email', 'language']);
    const user = await users.where('email', '=', to).executeTakeFirst();
    if (!user || !(await hasPassword(user.id, transaction))) return undefined;
    const made = { identifier: user.email, lifeMs: MAILED_LIFE_MS };
    const { link } = await store(LINK_IDS.mailedPasswordReset + user.id, made, transaction);
    const record = { ...SYSTEM_SOURCE, action: 'password.reset_mail' as const, target: user.id };
    await auditPerson(audit, user.id, record, transaction);
    return { letter: { kind: 'password_reset', name: user.name, link }, language: user.language ?? language };
  });

  const findPerson = async (
    { accountId, isOperator }: Resetter,
    user: string,
    transaction: Transaction<Database>,
  ): Promise<{ readonly id: string; readonly email: string }> => {
    const people = transaction
      .selectFrom('auth_users as user')
      .select(['user.id', 'user.email'])
      .where((eb) => eb.or([eb('user.id', '=', user), eb('user.email', '=', user.toLowerCase())]));
    const query = isOperator
      ? people
      : people
          .innerJoin('account_members as member', 'member.user_id', 'user.id')
          .where('member.account_id', '=', accountId);
    const person = await query.executeTakeFirst();
    if (person) return person;
    const place = isOperator ? 'The platform' : 'The account';
    throw createError('not_found', `${place} has no person with this ID or e-mail address.`);
  };

  return {
    /**
     * Makes a link for a person, by ID or e-mail address. Their password and sessions stay until it is used.
     * @throws `forbidden`, `not_found`; `conflict` for a person without a password
     */
    create: (maker: Resetter, user: string, source: AuditSource): Promise<PasswordResetLink> =>
      db.transaction().execute(async (transaction) => {
        requireManages(maker, 'owner');
        const { accountId, isOperator, userId = null } = maker;
        const person = await findPerson(maker, user, transaction);
        if (person.id === userId) {
          throw createError('forbidden', "You can't reset your own password. Change it in your account settings.");
        }
        const issuer: Issuer = { accountId, userId, isOperator };
        if (!(await mayStillIssue(issuer, person.id, transaction))) {
          throw createError(
            'forbidden',
            "This person also belongs to another account. Only the platform's operator can reset their password.",
          );
        }
        if (!(await hasPassword(person.id, transaction))) {
          throw createError('conflict', 'This person has no password: they sign in with a provider or a passkey.');
        }
        const made = { identifier: JSON.stringify(issuer), lifeMs: LIFE_MS };
        const { link, expiresAtMs } = await store(LINK_IDS.passwordReset + person.id, made, transaction);
        const record = { ...source, action: 'password.reset_link' as const, target: person.id };
        await auditPerson(audit, person.id, record, transaction);
        const isMember = (await membershipsOf(person.id, transaction)).some((one) => one.account_id === accountId);
        if (!isMember) await audit.record({ ...record, accountId }, transaction);
        return {
          user_id: person.id,
          email: person.email,
          link,
          expires_at: new Date(expiresAtMs).toISOString(),
        };
      }),

    /**
     * Mails a link to the person with an address and a password, if there is one.
     * @throws `not_available` when the server sends no mail; `too_many_requests`
     */
    async request(email: string, language: MailLanguage | undefined): Promise<void> {
      const mail = requireMail(accountMail);
      const to = email.toLowerCase();
      await mail.take(to);
      const expiresAtMs = clock.nowMs() + MAILED_LIFE_MS;
      await mail.outbox.request({ kind: 'password_reset', to, language: language ?? 'en', expiresAtMs });
    },

    /** Describes a link. @throws `not_found` */
    async show(token: string): Promise<PasswordReset> {
      const { user, expiresAtMs } = await get(token, db);
      return { email: user.email, name: user.name, expires_at: new Date(expiresAtMs).toISOString() };
    },

    /**
     * Sets the password, ends every session of the person and begins a new one, atomically.
     * @throws `not_found` for a link that is wrong, used, replaced or a day old, or whose maker may no longer make it.
     */
    async accept(
      { token, password }: { readonly token: string; readonly password: string },
      place: SessionPlace,
      requestId: string,
    ): Promise<NewSession> {
      await get(token, db);
      // Hashed only for a valid link, and outside the transaction, because it takes a tenth of a second.
      const passwordHash = await hashPassword(password);
      return db.transaction().execute(async (transaction) => {
        const { id, user } = await get(token, transaction);
        const used = await transaction.deleteFrom('auth_verifications').where('id', '=', id).executeTakeFirst();
        if (used.numDeletedRows === 0n) throw refusal();
        await endLinks(user.id, transaction);
        await transaction
          .updateTable('auth_accounts')
          .set({ password: passwordHash, updated_at: clock.nowMs() })
          .where('user_id', '=', user.id)
          .where('provider_id', '=', PASSWORD_PROVIDER)
          .execute();
        await endSessionsOf(user.id, undefined, transaction);
        const actor = { kind: 'session', id: user.id } as const;
        const record = { actor, requestId, action: 'password.reset' as const, target: user.id };
        await auditPerson(audit, user.id, record, transaction);
        return { token: await sessions.create(user.id, place, transaction), user };
      });
    },
  };
}
