import { createError, type SignInRequest, type SignUpRequest } from '@berth/contract';
import { isUniqueViolation } from '@berth/database';
import { auditPerson, type ServiceDeps } from '../audit/audit-log.ts';
import { createAttemptCounter } from '../limits/attempt-counter.ts';
import { createRateLimiter } from '../limits/rate-limiter.ts';
import type { Accounts } from '../people/accounts.ts';
import { endLinks } from '../people/end-access.ts';
import { insertUser } from '../people/insert-user.ts';
import { PASSWORD_PROVIDER } from '../people/ways-to-sign-in.ts';
import { hashPassword, verifyPassword } from '../secrets/password-hash.ts';
import { hashSecret } from '../secrets/secrets.ts';
import { networkOf, type SessionPlace } from '../sessions/session-place.ts';
import { endSessionsOf, type NewSession, type Sessions } from '../sessions/sessions.ts';

/** Requests that give a password, per network and operation. */
const NETWORK_LIMIT = { windowSeconds: 60, max: 10 } as const;

/** Attempts at one person's password: about 2,000 a day, from however many addresses they come. */
const PERSON_LIMIT = { windowSeconds: 15 * 60, max: 20 } as const;

/** A change of password by a person who is signed in. */
export interface PasswordChange {
  /** The person's session token; undefined when the request has none. */
  readonly token: string | undefined;
  readonly currentPassword: string;
  readonly newPassword: string;
  /** True: ends every session of the person and begins a new one. */
  readonly endOtherSessions: boolean;
}

/**
 * Signing in and up with an e-mail address and a password. Invariants:
 * 1. A call does the same scrypt work whether or not a person has the address, so its time reveals nothing.
 * 2. A wrong password counts against the network and the person; the right one counts against the network only.
 * 3. Strangers share one budget for each e-mail address, whether or not a person has it.
 * 4. Strangers don't use up the owner's budget: a network in which the person is signed in, or was within a week of the end of
 *    the session, has a budget of its own. Signing in with a passkey or a provider is not counted.
 */
export interface Passwords {
  /** @throws `unauthenticated` for a wrong password or an unknown address; `too_many_requests` */
  signIn(credentials: SignInRequest, place: SessionPlace): Promise<NewSession>;
  /**
   * Creates a person with an account of their own, and signs them in. A taken address is answered as a sign-in with this password.
   * @throws `unauthenticated` for a taken address with another password; `too_many_requests`
   */
  signUp(person: SignUpRequest, place: SessionPlace): Promise<NewSession>;
  /**
   * Returns the new session, or undefined when no session was to end.
   * @throws `unauthenticated` without a valid session; `bad_request` for a wrong password, and for a person who has none;
   *   `too_many_requests`
   */
  change(change: PasswordChange, place: SessionPlace, requestId: string): Promise<NewSession | undefined>;
}

export interface CreatePasswordsOptions extends ServiceDeps {
  readonly accounts: Pick<Accounts, 'createForUser'>;
  readonly sessions: Pick<Sessions, 'create' | 'find'>;
  /** Several servers use the database; false by default. */
  readonly isShared?: boolean | undefined;
}

export function createPasswords(options: CreatePasswordsOptions): Passwords {
  const { db, clock, ids, accounts, sessions, audit, isShared = false } = options;
  const limiter = createRateLimiter(clock);
  const attempts = createAttemptCounter({ db, clock, limit: PERSON_LIMIT, isShared });
  const takeFromNetwork = (operation: string, { address = '' }: SessionPlace) =>
    limiter.take(`${operation} ${networkOf(address)}`, NETWORK_LIMIT);

  /** Returns the key under which attempts at a person's password are counted. */
  const attemptKey = async (typed: string, address: string): Promise<string> => {
    const email = typed.toLowerCase();
    const places = await db
      .selectFrom('auth_sessions as session')
      .innerJoin('auth_users as user', 'user.id', 'session.user_id')
      .select('session.ip_address')
      .distinct()
      .where('user.email', '=', email)
      .execute();
    const network = networkOf(address);
    const isKnown = places.some(({ ip_address }) => ip_address !== null && networkOf(ip_address) === network);
    // Hashed, so that a long address takes no more memory than a short one.
    return hashSecret(isKnown ? `${email} ${network}` : email);
  };

  /** Counts an attempt at the password of `email` unless `run` succeeds or the network is over its limit. */
  const countAttempt = async <T>(
    { operation, email, place }: { operation: string; email: string; place: SessionPlace },
    run: () => Promise<T>,
  ): Promise<T> => {
    const key = await attemptKey(email, place.address ?? '');
    await attempts.take(key);
    try {
      takeFromNetwork(operation, place);
    } catch (error) {
      await attempts.restore(key);
      throw error;
    }
    const result = await run();
    await attempts.restore(key);
    return result;
  };

  const signIn: Passwords['signIn'] = ({ email, password }, place) =>
    countAttempt({ operation: 'sign-in', email, place }, async () => {
      const user = await db
        .selectFrom('auth_users as user')
        .innerJoin('auth_accounts as credential', 'credential.user_id', 'user.id')
        .select(['user.id', 'user.name', 'user.email', 'credential.password'])
        .where('user.email', '=', email.toLowerCase())
        .where('credential.provider_id', '=', PASSWORD_PROVIDER)
        .executeTakeFirst();
      if (!(await verifyPassword(user?.password, password)) || !user) {
        throw createError('unauthenticated', 'Invalid email or password.');
      }
      const { password: _hash, ...person } = user;
      return { token: await sessions.create(user.id, place), user: person };
    });

  return {
    signIn,

    async signUp({ email, password, name }, place) {
      takeFromNetwork('sign-up', place);
      const passwordHash = await hashPassword(password);
      try {
        await db.transaction().execute(async (transaction) => {
          const user = { id: ids.next('usr'), email, name };
          await insertUser({ ...user, passwordHash, clock, ids }, transaction);
          await accounts.createForUser(user, transaction);
        });
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
      }
      return signIn({ email, password }, place);
    },

    async change({ token, currentPassword, newPassword, endOtherSessions }, place, requestId) {
      const session = token === undefined ? undefined : await sessions.find(token);
      if (!session) {
        takeFromNetwork('change-password', place);
        throw createError('unauthenticated', 'Unauthorized.');
      }
      const { user } = session;
      return countAttempt({ operation: 'change-password', email: user.email, place }, async () => {
        const credential = await db
          .selectFrom('auth_accounts')
          .select(['id', 'password'])
          .where('user_id', '=', user.id)
          .where('provider_id', '=', PASSWORD_PROVIDER)
          .executeTakeFirst();
        if (!credential) throw createError('bad_request', 'Credential account not found.');
        if (!(await verifyPassword(credential.password, currentPassword))) {
          throw createError('bad_request', 'Invalid password.');
        }
        const password = await hashPassword(newPassword);
        return db.transaction().execute(async (transaction) => {
          await transaction
            .updateTable('auth_accounts')
            .set({ password, updated_at: clock.nowMs() })
            .where('id', '=', credential.id)
            .execute();
          await endLinks(user.id, transaction);
          const actor = { kind: 'session', id: user.id } as const;
          const details = { end_other_sessions: endOtherSessions };
          const record = { actor, requestId, action: 'password.change' as const, target: user.id, details };
          await auditPerson(audit, user.id, record, transaction);
          if (!endOtherSessions) return undefined;
          await endSessionsOf(user.id, undefined, transaction);
          return { token: await sessions.create(user.id, place, transaction), user };
        });
      });
    },
  };
}
