import type { SignedIn } from '@berth/contract';
import type { Clock } from '@berth/kit';
import { SESSION_SECONDS } from './create-auth.ts';

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

/** The contract's answer to a sign-in that was good a moment ago. */
export function toSignedIn({ token, user: { id, name, email } }: AuthSignedIn, clock: Clock): SignedIn {
  const expiresAt = new Date(clock.nowMs() + SESSION_SECONDS * 1_000);
  return { token, expires_at: expiresAt.toISOString(), user: { id, name, email } };
}
