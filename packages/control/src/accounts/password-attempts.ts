import type { Database } from '@berth/database';
import type { Clock } from '@berth/kit';
import { plainAddress } from '@berth/kit/node';
import type { Kysely } from 'kysely';
import { hashSecret } from './key-secret.ts';
import { createSignInLimiter } from './sign-in-limiter.ts';

/** Attempts at one person's password: about 2,000 a day, from however many addresses they come. */
const RULE = { window: 15 * 60, max: 20 } as const;

/**
 * Counts attempts at passwords per person, beside the limit per address. Invariants:
 * 1. Strangers share one budget for each e-mail address, whether or not a person has it.
 * 2. Strangers don't use up the owner's budget: a network in which the person is signed in, or was within a week of the end of
 *    the session, has a budget of its own. Passkeys and providers have no part in this.
 */
export interface PasswordAttempts {
  take(email: string, address: string): Promise<PasswordAttempt>;
}

/** An attempt that may be made, or the time until the next one. */
export interface PasswordAttempt {
  /** Seconds; null when the attempt may be made. */
  readonly retryAfter: number | null;
  /** Makes an attempt that was none available again. */
  giveBack(): void;
}

export interface CreatePasswordAttemptsOptions {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
}

export function createPasswordAttempts({ db, clock }: CreatePasswordAttemptsOptions): PasswordAttempts {
  const limiter = createSignInLimiter(clock);
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
      const { retryAfter } = await limiter.consume(key, RULE);
      return { retryAfter, giveBack: () => limiter.restore(key) };
    },
  };
}

/** An IPv4 address, or the first 64 bits of an IPv6 address, which are those of one customer. */
function networkOf(address: string): string {
  const plain = plainAddress(address);
  if (!plain.includes(':')) return plain;
  const [head = '', tail] = plain.split('::');
  const groups = head.split(':').map((group) => group.replace(/^0+(?=.)/, '').toLowerCase());
  if (tail === undefined) return groups.slice(0, 4).join(':');
  const rest = tail.split(':').filter((group) => group !== '');
  const zeros = Array.from({ length: Math.max(8 - groups.length - rest.length, 0) }, () => '0');
  return [...groups, ...zeros, ...rest].slice(0, 4).join(':');
}
