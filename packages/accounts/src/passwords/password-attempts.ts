import type { Database } from '@berth/database';
import type { Clock } from '@berth/kit';
import type { Kysely } from 'kysely';
import { createRateLimiter } from '../limits/rate-limiter.ts';
import { hashSecret } from '../secrets/secrets.ts';
import { networkOf } from '../sessions/session-place.ts';

/** Attempts at one person's password: about 2,000 a day, from however many addresses they come. */
const LIMIT = { windowSeconds: 15 * 60, max: 20 } as const;

/**
 * Counts attempts at passwords per person, beside the limit per address. Invariants:
 * 1. Strangers share one budget for each e-mail address, whether or not a person has it.
 * 2. Strangers don't use up the owner's budget: a network in which the person is signed in, or was within a week of the end of
 *    the session, has a budget of its own. Signing in with a passkey or a provider is not counted.
 */
export interface PasswordAttempts {
  /**
   * Counts an attempt and returns a function that uncounts it.
   * @throws `too_many_requests` with `retryAfterSeconds` in its details.
   */
  take(email: string, address: string): Promise<() => void>;
}

export interface CreatePasswordAttemptsOptions {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
}

export function createPasswordAttempts({ db, clock }: CreatePasswordAttemptsOptions): PasswordAttempts {
  const limiter = createRateLimiter(clock);
  return {
    async take(typed, address) {
      const email = typed.toLowerCase();
      const sessions = await db
        .selectFrom('auth_sessions as session')
        .innerJoin('auth_users as user', 'user.id', 'session.user_id')
        .select('session.ip_address')
        .distinct()
        .where('user.email', '=', email)
        .execute();
      const network = networkOf(address);
      const isKnown = sessions.some(({ ip_address }) => ip_address !== null && networkOf(ip_address) === network);
      // Hashed, so that a long address takes no more memory than a short one.
      const key = hashSecret(isKnown ? `${email} ${network}` : email);
      limiter.take(key, LIMIT);
      return () => limiter.restore(key);
    },
  };
}
