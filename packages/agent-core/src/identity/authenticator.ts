import type { AgentSignIn } from '@berth/contract/agent';
import type { Clock, Logger } from '@berth/kit';
import type { User } from './user.ts';

/** Verifies bearer tokens. */
export interface Authenticator {
  /**
   * Returns the person that a token names.
   * @throws `unauthenticated` with a reason for people, which does not contain the token.
   */
  verify(token: string): Promise<User>;
  /** How the page signs people in, as `/config` returns it; holds no secret. */
  readonly signIn: AgentSignIn | null;
  /**
   * Returns the origins besides the issuer's that the page calls to sign people in, e.g. of a token endpoint on another host. They
   * become sources of the page's `connect-src`. Must not reject; absent where there are none.
   */
  signInOrigins?(): Promise<readonly string[]>;
  /** Issuer of the tokens, where clients of other programs find out how to get one. Undefined when none is known. */
  readonly issuer?: string;
}

/** Input of an agent's `auth` when the agent starts. */
export interface AuthContext {
  /** The process's environment, e.g. the platform's variables about its identity provider. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** True under `NODE_ENV=production` and on the platform. */
  readonly isProduction: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The result of `oidc()`, `berth()` and `dev()`: a factory of the authenticator, called when the agent starts. */
export interface AuthProvider {
  /** @throws `invalid` naming what is missing or not allowed here; the agent then does not start. */
  open(context: AuthContext): Authenticator;
}
