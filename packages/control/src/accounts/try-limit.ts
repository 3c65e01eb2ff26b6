import { createError } from '@berth/contract';
import type { Clock } from '@berth/kit';
import { createSignInLimiter, type LimitRule } from './sign-in-limiter.ts';

/** Takes one try off what `key` has left. @throws `too_many_requests`, with how long to wait */
export type TryLimit = (key: string, rule: LimitRule) => Promise<void>;

/** What can be guessed is counted by whom guesses, in memory. */
export function createTryLimit(clock: Clock): TryLimit {
  const limiter = createSignInLimiter(clock);
  return async (key, rule) => {
    const { allowed, retryAfter } = await limiter.consume(key, rule);
    if (allowed) return;
    throw createError('too_many_requests', 'Too many tries. Wait, then try again.', {
      details: { retryAfterSeconds: retryAfter },
    });
  };
}
