import type { Database, Sealer } from '@berth/database';
import type { Clock, Logger } from '@berth/kit';
import type { Kysely } from 'kysely';
import type { AuditLog } from '../audit/audit-log.ts';
import type { OidcSignIn } from '../oidc/create-oidc-sign-in.ts';
import type { Passwords } from '../passwords/passwords.ts';
import type { Authenticate } from '../sessions/authenticate.ts';
import type { BrowserCookie } from '../sessions/browser-cookie.ts';
import { createIdentityClients } from './identity-clients.ts';
import { createIdentityConsents } from './identity-consents.ts';
import { createIdentityCookies } from './identity-cookies.ts';
import { createIdentityGrants } from './identity-grants.ts';
import { createIdentityKeys, type KeyNotices } from './identity-keys.ts';
import { createIdentitySessions } from './identity-sessions.ts';
import { createIdentityTokens } from './identity-tokens.ts';
import { createRegisteredAccess } from './registered-access.ts';

/** Dependencies of the provider. */
export interface CreateIdentityOptions {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly accounts: {
    readonly passwords: Passwords;
    readonly sessionCookie: BrowserCookie;
    readonly authenticate: Authenticate;
    readonly audit: Pick<AuditLog, 'record'>;
    readonly oidc: OidcSignIn;
  };
  /** Notices between the servers of the database. */
  readonly notices?: KeyNotices | undefined;
  /** Seals the signing keys. */
  readonly sealer: Sealer;
  /** The address of the API, without a trailing slash. */
  readonly issuer: string;
  /** The address of a deployment under the platform's own domain. */
  urlOf(deployment: string): string;
}

/** The dependencies of the provider's routes. */
export type IdentityDeps = ReturnType<typeof createIdentityDeps>;

/** Creates the parts of the provider that its routes share. */
export function createIdentityDeps(options: CreateIdentityOptions) {
  const { db, clock, logger, issuer, accounts, urlOf, sealer, notices } = options;
  const { passwords, sessionCookie, authenticate, audit, oidc } = accounts;
  const keys = createIdentityKeys({ db, clock, sealer, notices });
  const resource = `${issuer}/mcp`;
  const tokens = createIdentityTokens({ keys, clock, issuer });
  const sessions = createIdentitySessions({ db, clock, logger });
  return {
    db,
    clock,
    issuer,
    urlOf,
    passwords,
    sessionCookie,
    authenticate,
    audit,
    keys,
    tokens,
    clients: createIdentityClients({ db, issuer, resource, urlOf }),
    sessions,
    /** Returns the caller by the token of a registered client. */
    findCaller: createRegisteredAccess({ db, sessions, tokens, resource }),
    consents: createIdentityConsents({ db, clock }),
    grants: createIdentityGrants({ db, clock }),
    cookies: createIdentityCookies(issuer),
    /** Outside providers that people may sign in with. */
    providers: oidc.ways,
  };
}

/** The paths of the provider's routes. */
export const IDENTITY_PATHS = {
  discovery: '/.well-known/openid-configuration',
  authorizationServer: '/.well-known/oauth-authorization-server',
  jwks: '/oauth2/jwks',
  authorize: '/oauth2/authorize',
  signIn: '/oauth2/sign-in',
  consent: '/oauth2/consent',
  token: '/oauth2/token',
  register: '/oauth2/register',
  userInfo: '/oauth2/userinfo',
  revoke: '/oauth2/revoke',
  signOut: '/oauth2/sign-out',
  connectorCallback: '/oauth2/connectors/{deployment}/{connector}',
} as const;
