import type { SignedIn } from '@berth/contract';
import type { Clock } from '@berth/kit';
import type { ApiContext } from '../http/api.ts';
import { type Auth, SESSION_SECONDS } from './create-auth.ts';

/** A person as better-auth tells of them. */
export interface AuthPerson {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

/** What better-auth answers to a sign-in. */
export interface AuthSignedIn {
  readonly token: string;
  readonly user: AuthPerson;
}

/** What the answer is made with. */
export interface SignInAnswerDeps {
  readonly auth: Pick<Auth, 'cookie'>;
  readonly clock: Clock;
}

/**
 * The contract's answer to a sign-in that was good a moment ago. A page of the platform gets its session as a cookie, and no
 * token that a script could read.
 */
export function toSignedIn(c: ApiContext, { token, user }: AuthSignedIn, { auth, clock }: SignInAnswerDeps): SignedIn {
  const { id, name, email } = user;
  const expiresAt = new Date(clock.nowMs() + SESSION_SECONDS * 1_000).toISOString();
  const answer = { expires_at: expiresAt, user: { id, name, email } };
  if (!auth.cookie.isWanted(c.req.raw.headers)) return { token, ...answer };
  auth.cookie.set(c, token, SESSION_SECONDS);
  return answer;
}
