import type { SignInWay } from '@berth/contract';
import type { Database } from '@berth/database';
import type { Clock } from '@berth/kit';
import type { Kysely } from 'kysely';
import type { Passwords } from '../passwords/passwords.ts';
import type { Authenticate } from '../sessions/authenticate.ts';
import type { BrowserCookie } from '../sessions/browser-cookie.ts';
import type { IdentityClients } from './identity-clients.ts';
import type { IdentityConsents } from './identity-consents.ts';
import type { IdentityCookies } from './identity-cookies.ts';
import type { IdentityGrants } from './identity-grants.ts';
import type { IdentityKeys } from './identity-keys.ts';
import type { IdentitySessions } from './identity-sessions.ts';
import type { IdentityTokens } from './identity-tokens.ts';

/** The dependencies of the provider's routes. */
export interface IdentityDeps {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  /** The issuer: the address of the API, without a trailing slash. */
  readonly issuer: string;
  readonly passwords: Pick<Passwords, 'signIn'>;
  readonly sessionCookie: Pick<BrowserCookie, 'read'>;
  readonly authenticate: Authenticate;
  readonly keys: IdentityKeys;
  readonly tokens: IdentityTokens;
  readonly clients: IdentityClients;
  readonly sessions: IdentitySessions;
  readonly consents: IdentityConsents;
  readonly grants: IdentityGrants;
  readonly cookies: IdentityCookies;
  /** Outside providers that people may sign in with. */
  readonly providers: readonly SignInWay[];
}

/** The paths of the provider's routes. */
export const IDENTITY_PATHS = {
  discovery: '/.well-known/openid-configuration',
  jwks: '/oauth2/jwks',
  authorize: '/oauth2/authorize',
  signIn: '/oauth2/sign-in',
  consent: '/oauth2/consent',
  token: '/oauth2/token',
  userInfo: '/oauth2/userinfo',
  revoke: '/oauth2/revoke',
  signOut: '/oauth2/sign-out',
} as const;
