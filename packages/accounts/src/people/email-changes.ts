import { createError } from '@berth/contract';
import { type Database, isUniqueViolation } from '@berth/database';
import type { MailLanguage } from '@berth/mail';
import type { Kysely } from 'kysely';
import { type AuditSource, auditPerson, type ServiceDeps } from '../audit/audit-log.ts';
import { type AccountMail, requireMail } from '../mail/account-mail.ts';
import { createSecret, hashSecret } from '../secrets/secrets.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { endLinks, LINK_IDS } from './end-access.ts';

/** The life of a link. */
const LIFE_MS = 60 * 60_000;

/** A change of address that a person asks for. */
export interface EmailChange {
  readonly userId: string;
  /** The session that asks; undefined for none. */
  readonly sessionId: string | undefined;
  readonly email: string;
  readonly language: MailLanguage | undefined;
}

/**
 * Changes of the address that people sign in with. Invariants:
 * 1. The address changes when the link that was mailed to it is used: once, within an hour. Only its hash is stored.
 * 2. The answer doesn't tell whether another person has the address.
 * 3. The former address gets a notice.
 */
export type EmailChanges = ReturnType<typeof createEmailChanges>;

export interface CreateEmailChangesOptions extends ServiceDeps {
  readonly accountMail: AccountMail | undefined;
  readonly sessions: Pick<Sessions, 'isFresh'>;
  /** The address of the console, which the links open. */
  readonly baseUrl: string;
}

export function createEmailChanges(options: CreateEmailChangesOptions) {
  const { db, clock, audit, accountMail, sessions, baseUrl } = options;
  const refusal = () =>
    createError('not_found', 'This link has been used or replaced, or has expired. Ask for a new one.');

  const find = async (token: string, from: Kysely<Database>) => {
    const row = await from
      .selectFrom('auth_verifications')
      .select(['id', 'identifier'])
      .where('value', '=', hashSecret(token))
      .where('id', 'like', `${LINK_IDS.emailChange}%`)
      .where('expires_at', '>', clock.nowMs())
      .executeTakeFirst();
    if (!row) throw refusal();
    return { id: row.id, userId: row.id.slice(LINK_IDS.emailChange.length), email: row.identifier };
  };

  return {
    /** Mails a link to the new address. @throws `not_available`, `forbidden` for an old session, `too_many_requests` */
    async begin({ userId, sessionId, language, ...change }: EmailChange, source: AuditSource): Promise<void> {
      const mail = requireMail(accountMail);
      if (sessionId === undefined || !(await sessions.isFresh(sessionId))) {
        throw createError(
          'forbidden',
          'Your sign-in is older than 15 minutes. Sign in again, then change your address.',
        );
      }
      const email = change.email.toLowerCase();
      await mail.take(email, userId);
      await db.transaction().execute(async (transaction) => {
        const users = transaction.selectFrom('auth_users').select(['id', 'name', 'language']);
        const user = await users.where('id', '=', userId).executeTakeFirstOrThrow();
        const holder = await users.where('email', '=', email).executeTakeFirst();
        const token = createSecret();
        const nowMs = clock.nowMs();
        const link = { identifier: email, value: hashSecret(token), expires_at: nowMs + LIFE_MS, updated_at: nowMs };
        await transaction
          .insertInto('auth_verifications')
          .values({ id: LINK_IDS.emailChange + userId, created_at: nowMs, ...link })
          .onConflict((conflict) => conflict.column('id').doUpdateSet(link))
          .execute();
        await auditPerson(audit, userId, { ...source, action: 'person.email_link', target: userId }, transaction);
        const to = { to: email, language: language ?? user.language ?? 'en', expiresAtMs: link.expires_at };
        // For a taken address nothing makes this letter, so it is dropped.
        if (holder && holder.id !== userId)
          return void (await mail.outbox.request({ ...to, kind: 'email_change' }, transaction));
        const letter = {
          kind: 'email_change',
          name: user.name,
          link: new URL(`/confirm-email#${token}`, baseUrl).href,
        } as const;
        await mail.outbox.put({ ...to, letter }, transaction);
      });
    },

    /** Changes the address. @throws `not_found` for a link that is wrong, used, replaced or an hour old */
    async confirm(token: string, requestId: string): Promise<{ readonly email: string }> {
      try {
        return await db.transaction().execute(async (transaction) => {
          const { id, userId, email } = await find(token, transaction);
          const used = await transaction.deleteFrom('auth_verifications').where('id', '=', id).executeTakeFirst();
          if (used.numDeletedRows === 0n) throw refusal();
          await endLinks(userId, transaction);
          const users = transaction.selectFrom('auth_users').select(['name', 'email', 'language']);
          const before = await users.where('id', '=', userId).executeTakeFirst();
          if (!before) throw refusal();
          await transaction
            .updateTable('auth_users')
            .set({ email, email_verified: 1, updated_at: clock.nowMs() })
            .where('id', '=', userId)
            .execute();
          const actor = { kind: 'session', id: userId } as const;
          const details = { from: before.email, to: email };
          const record = { actor, requestId, action: 'person.email' as const, target: userId, details };
          await auditPerson(audit, userId, record, transaction);
          const letter = { kind: 'email_changed', name: before.name, newAddress: email } as const;
          const notice = { to: before.email, language: before.language ?? 'en', letter } as const;
          if (before.email !== email) await accountMail?.outbox.put(notice, transaction);
          return { email };
        });
      } catch (error) {
        throw isUniqueViolation(error) ? refusal() : error;
      }
    },
  };
}
