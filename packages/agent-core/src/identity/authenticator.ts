import type { Clock, Logger } from '@berth/kit';
import type { User } from './user.ts';

/** Finds out whom a bearer token names. */
export interface Authenticator {
  /** @throws `unauthenticated` with the reason, for a person and without the token. */
  verify(token: string): Promise<User>;
  /** What `/config` tells the page of signing in; nothing secret. */
  readonly signIn: Readonly<Record<string, unknown>> | null;
}

/** What is handed to the `auth` of an agent when the agent starts. */
export interface AuthContext {
  /** The process's environment, e.g. for what the platform tells of its identity provider. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** True under `NODE_ENV=production` and on the platform. */
  readonly isProduction: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What `oidc()`, `berth()` and `dev()` give: how to make an authenticator once the surroundings are known. */
export interface AuthProvider {
  /** @throws `invalid` saying what is missing or not allowed here; the agent does not start. */
  open(context: AuthContext): Authenticator;
}
