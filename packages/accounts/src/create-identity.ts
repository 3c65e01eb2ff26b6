import type { Database } from '@berth/database';
import { BerthError, type Clock, type Logger } from '@berth/kit';
import { createSecretBox } from '@berth/kit/node';
import { cors } from 'hono/cors';
import type { Kysely } from 'kysely';
import type { AccountServices } from './account-services.ts';
import type { Api, ApiContext } from './http/api.ts';
import { createIdentityClients } from './identity/identity-clients.ts';
import { createIdentityConsents } from './identity/identity-consents.ts';
import { createIdentityCookies } from './identity/identity-cookies.ts';
import { IDENTITY_PATHS, type IdentityDeps } from './identity/identity-deps.ts';
import { createIdentityGrants } from './identity/identity-grants.ts';
import { createIdentityKeys } from './identity/identity-keys.ts';
import { createIdentitySessions } from './identity/identity-sessions.ts';
import { createIdentityTokens } from './identity/identity-tokens.ts';
import { registerAuthorize } from './identity/routes/authorize.ts';
import { registerContinueSession } from './identity/routes/continue-session.ts';
import { registerCreateAgentToken } from './identity/routes/create-agent-token.ts';
import { registerMetadata } from './identity/routes/metadata.ts';
import { registerReplaceKeys } from './identity/routes/replace-keys.ts';
import { registerSignOut } from './identity/routes/sign-out.ts';
import { registerToken } from './identity/routes/token.ts';
import { registerUserInfo } from './identity/routes/user-info.ts';

/** The provider's settings for a deployment. */
export interface IdentityEnvironment {
  readonly issuer: string;
  /** A JWK set as JSON, for services that can't reach the issuer. */
  readonly jwks: string;
}

/**
 * The OpenID Connect provider for deployed agents. Clients are public and use PKCE: a deployment is
 * the client with its own name, redirects go to its own addresses only, and its tokens are valid for it alone.
 */
export interface Identity {
  registerRoutes(api: Api): void;
  environment(): Promise<IdentityEnvironment>;
}

export interface CreateIdentityOptions {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly accounts: Pick<AccountServices, 'passwords' | 'sessionCookie' | 'authenticate' | 'audit' | 'oidc'>;
  /** 32 random bytes that seal the signing keys. */
  readonly secretKey: Uint8Array;
  /** The address of the API, without a trailing slash. */
  readonly issuer: string;
  /** The address of a deployment under the platform's own domain. */
  urlOf(deployment: string): string;
}

export function createIdentity(options: CreateIdentityOptions): Identity {
  const { db, clock, logger, issuer, accounts, urlOf } = options;
  const keys = createIdentityKeys({ db, clock, box: createSecretBox(options.secretKey) });
  const deps: IdentityDeps = {
    db,
    clock,
    issuer,
    keys,
    passwords: accounts.passwords,
    sessionCookie: accounts.sessionCookie,
    authenticate: accounts.authenticate,
    tokens: createIdentityTokens({ keys, clock, issuer }),
    clients: createIdentityClients({ db, issuer, urlOf }),
    sessions: createIdentitySessions({ db, clock, logger }),
    consents: createIdentityConsents({ db, clock }),
    grants: createIdentityGrants({ db, clock }),
    cookies: createIdentityCookies(issuer),
    providers: accounts.oidc.ways,
  };
  accounts.oidc.after.add((c, signIn) => keepProviderSignIn(c, deps, signIn));
  return {
    registerRoutes(api) {
      // Agents' pages call these from their own origins. They read no cookie, so any origin may.
      const { discovery, jwks, token, userInfo, revoke } = IDENTITY_PATHS;
      for (const path of [discovery, jwks, token, userInfo, revoke]) {
        api.use(path, cors({ origin: '*', allowMethods: ['GET', 'POST'], allowHeaders: ['Authorization'] }));
      }
      registerMetadata(api, deps);
      registerAuthorize(api, deps);
      registerToken(api, deps);
      registerUserInfo(api, deps);
      registerSignOut(api, deps);
      registerContinueSession(api, deps);
      registerCreateAgentToken(api, deps);
      registerReplaceKeys(api, { keys, audit: accounts.audit });
    },
    environment: async () => ({ issuer, jwks: JSON.stringify({ keys: await keys.publicKeys() }) }),
  };
}

/** Signs a browser in at the identity provider after it signed in with an outside provider on its way to an agent. */
async function keepProviderSignIn(
  c: ApiContext,
  { authenticate, sessions, cookies }: Pick<IdentityDeps, 'authenticate' | 'sessions' | 'cookies'>,
  { token, returnTo }: { readonly token: string; readonly returnTo: string },
): Promise<void> {
  if (!returnTo.startsWith(`${IDENTITY_PATHS.authorize}?`)) return;
  try {
    const principal = await authenticate(new Headers({ authorization: `Bearer ${token}` }));
    cookies.setSession(c, await sessions.create(principal, { kind: 'password', sessionToken: token }));
  } catch (error) {
    // A person without an account has no claims. They are shown the sign-in page again.
    if (!BerthError.is(error, 'forbidden')) throw error;
  }
}
