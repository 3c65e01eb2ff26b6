import { createError, type FirstRunRequest, type FirstRunState } from '@berth/contract';
import { isUniqueViolation } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { ServiceDeps } from '../audit/audit-log.ts';
import { hashPassword } from '../secrets/password-hash.ts';
import { createSecret, hashSecret } from '../secrets/secrets.ts';
import type { SessionPlace } from '../sessions/session-place.ts';
import type { NewSession, Sessions } from '../sessions/sessions.ts';
import { insertMember, insertUser } from './insert-user.ts';

/** The life of the link. */
const LINK_MS = 24 * 60 * 60 * 1_000;

/** The value of the column `identifier` for this kind of one-time secret. */
const IDENTIFIER = 'berth-first-run';

/** Creation of the operator account's first person, with a one-time secret. Only its hash is stored. */
export type FirstRun = ReturnType<typeof createFirstRun>;

export function createFirstRun({ db, clock, ids, audit, sessions }: ServiceDeps & { readonly sessions: Sessions }) {
  const refusal = () =>
    createError(
      'unauthenticated',
      'This link has been used or has expired. Restart Berth: it prints a new link while no account exists.',
    );
  const findLink = (token: string) =>
    db
      .selectFrom('auth_verifications')
      .select('id')
      .where('identifier', '=', IDENTIFIER)
      .where('value', '=', hashSecret(token))
      .where('expires_at', '>', clock.nowMs())
      .executeTakeFirst();
  const findOperator = () => db.selectFrom('accounts').select('id').where('is_operator', '=', 1).executeTakeFirst();
  const isNeeded = async () => {
    const operator = await findOperator();
    if (!operator) return false;
    const members = db.selectFrom('account_members').select('user_id').where('account_id', '=', operator.id);
    return (await members.executeTakeFirst()) === undefined;
  };
  return {
    /** Tells whether the platform still lacks its first person, and whether the link of `token` can be used. */
    async check(token: string): Promise<FirstRunState> {
      return { is_needed: await isNeeded(), is_valid: (await findLink(token)) !== undefined };
    },

    /**
     * Returns a new secret, which replaces earlier ones; undefined when the operator's account has a person.
     * @param keepsOthers leaves those that other servers printed. One person can be created with any of them.
     */
    async issue({ keepsOthers = false } = {}): Promise<string | undefined> {
      if (!(await isNeeded())) return undefined;
      const secret = createSecret();
      const nowMs = clock.nowMs();
      await db.transaction().execute(async (transaction) => {
        await transaction
          .deleteFrom('auth_verifications')
          .where('identifier', '=', IDENTIFIER)
          .$if(keepsOthers, (query) => query.where('expires_at', '<=', nowMs))
          .execute();
        await transaction
          .insertInto('auth_verifications')
          .values({
            id: ids.next('ver'),
            identifier: IDENTIFIER,
            value: hashSecret(secret),
            expires_at: nowMs + LINK_MS,
            created_at: nowMs,
            updated_at: nowMs,
          })
          .execute();
      });
      return secret;
    },

    /**
     * Creates the person as an owner of the operator's account and begins their session, atomically.
     * @throws `unauthenticated` for a secret that is wrong, used, replaced or a day old; `conflict` for a taken address.
     */
    async accept({ token, email, password, name }: FirstRunRequest, place: SessionPlace): Promise<NewSession> {
      const isGood = await findLink(token);
      const operator = await findOperator();
      if (!isGood || !operator) throw refusal();
      // Hashed only for a valid secret, and outside the transaction, because it takes a tenth of a second.
      const passwordHash = await hashPassword(password);
      const accountId = operator.id as AccountId;
      const id = ids.next('usr');
      try {
        return await db.transaction().execute(async (transaction) => {
          const used = await transaction
            .deleteFrom('auth_verifications')
            .where('id', '=', isGood.id)
            .executeTakeFirst();
          if (used.numDeletedRows === 0n) throw refusal();
          await transaction.deleteFrom('auth_verifications').where('identifier', '=', IDENTIFIER).execute();
          await insertUser({ id, email, name, passwordHash, clock, ids }, transaction);
          await insertMember({ accountId, userId: id, role: 'owner' }, clock, transaction);
          const actor = { kind: 'session', id } as const;
          await audit.record({ accountId, actor, action: 'account.first_run', target: accountId }, transaction);
          const session = await sessions.create(id, place, transaction);
          return { token: session, user: { id, name: name ?? email.toLowerCase(), email: email.toLowerCase() } };
        });
      } catch (error) {
        if (isUniqueViolation(error))
          throw createError('conflict', 'A person with this e-mail address already exists.');
        throw error;
      }
    },
  };
}
