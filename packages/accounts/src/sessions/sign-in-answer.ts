import type { SignedIn } from '@berth/contract';
import type { Clock } from '@berth/kit';
import type { ApiContext } from '../http/api.ts';
import type { BrowserCookie } from './browser-cookie.ts';
import { type NewSession, SESSION_SECONDS } from './sessions.ts';

/** The dependencies of {@link toSignedIn}. */
export interface SignInAnswerDeps {
  readonly sessionCookie: BrowserCookie;
  readonly clock: Clock;
}

/**
 * Returns the contract's answer to a sign-in that succeeded a moment ago. A page of the platform gets its session as a cookie,
 * and no token that a script could read.
 */
export function toSignedIn(
  c: ApiContext,
  { token, user }: NewSession,
  { sessionCookie, clock }: SignInAnswerDeps,
): SignedIn {
  const { id, name, email } = user;
  const expiresAt = new Date(clock.nowMs() + SESSION_SECONDS * 1_000).toISOString();
  const answer = { expires_at: expiresAt, user: { id, name, email } };
  if (!sessionCookie.isWanted(c.req.raw.headers)) return { token, ...answer };
  sessionCookie.set(c, token, SESSION_SECONDS);
  return answer;
}
