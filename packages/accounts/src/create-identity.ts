import { BerthError } from '@berth/kit';
import { cors } from 'hono/cors';
import type { Api, ApiContext } from './http/api.ts';
import {
  type CreateIdentityOptions,
  createIdentityDeps,
  IDENTITY_PATHS,
  type IdentityDeps,
} from './identity/identity-deps.ts';
import { registerAuthorize } from './identity/routes/authorize.ts';
import { registerConnectorCallback } from './identity/routes/connector-callback.ts';
import { registerContinueSession } from './identity/routes/continue-session.ts';
import { registerCreateAgentToken } from './identity/routes/create-agent-token.ts';
import { registerMetadata } from './identity/routes/metadata.ts';
import { registerRegisterClient } from './identity/routes/register-client.ts';
import { registerReplaceKeys } from './identity/routes/replace-keys.ts';
import { registerSignOut } from './identity/routes/sign-out.ts';
import { registerToken } from './identity/routes/token.ts';
import { registerUserInfo } from './identity/routes/user-info.ts';
import type { Principal } from './principal/principal.ts';

/** The provider's settings for a deployment. */
export interface IdentityEnvironment {
  readonly issuer: string;
  /** A JWK set as JSON, for services that can't reach the issuer. */
  readonly jwks: string;
}

/**
 * The OpenID Connect provider for deployed agents. Clients are public and use PKCE: a deployment is
 * the client with its own name, redirects go to its own addresses only, and its tokens are valid for it alone. Clients that register
 * themselves get tokens for the platform's MCP server.
 */
export interface Identity {
  registerRoutes(api: Api): void;
  /**
   * Returns the caller by an access token for the MCP server. Undefined for any other text, and when the sign-in behind the token has
   * ended.
   */
  findCaller(token: string): Promise<Principal | undefined>;
  environment(): Promise<IdentityEnvironment>;
}

export function createIdentity(options: CreateIdentityOptions): Identity {
  const deps = createIdentityDeps(options);
  const { issuer, keys } = deps;
  options.accounts.oidc.after.add((c, signIn) => keepProviderSignIn(c, deps, signIn));
  return {
    registerRoutes(api) {
      // Agents' pages call these from their own origins. They read no cookie, so any origin may.
      const { discovery, authorizationServer, jwks, token, register, userInfo, revoke } = IDENTITY_PATHS;
      for (const path of [discovery, authorizationServer, jwks, token, register, userInfo, revoke]) {
        api.use(path, cors({ origin: '*', allowMethods: ['GET', 'POST'], allowHeaders: ['Authorization'] }));
      }
      registerMetadata(api, deps);
      registerAuthorize(api, deps);
      registerToken(api, deps);
      registerRegisterClient(api, deps);
      registerUserInfo(api, deps);
      registerSignOut(api, deps);
      registerConnectorCallback(api, deps);
      registerContinueSession(api, deps);
      registerCreateAgentToken(api, deps);
      registerReplaceKeys(api, deps);
    },
    findCaller: deps.findCaller,
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
