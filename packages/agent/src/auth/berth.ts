import type { AuthProvider } from '@berth/agent-core';
import { createError } from '@berth/contract';
import type { JSONWebKeySet } from 'jose';
import { createOidcAuthenticator, DEFAULT_SCOPE } from './oidc.ts';

/** The client id of an agent on a developer's machine. Source: docs/guides/signing-in.md */
const LOCAL_CLIENT = 'http://localhost';

/**
 * Returns an auth provider for the accounts of the Berth platform that the agent runs on. The platform describes itself in
 * the environment; on a developer's machine, set `BERTH_ISSUER` to the platform to sign in with.
 * @throws `invalid` at the start of the agent when these variables aren't set
 */
export function berth(): AuthProvider {
  return {
    open(context) {
      const { BERTH_ISSUER: issuer, BERTH_JWKS: jwks, K_SERVICE: deployment } = context.environment;
      const service = deployment || (context.isProduction ? undefined : LOCAL_CLIENT);
      if (!issuer || !service) {
        throw createError(
          'invalid',
          'berth() signs people in on a Berth platform. Deploy the agent, or use dev() here.',
        );
      }
      // The issuer may be http: operators can run a platform without TLS on a private network.
      return createOidcAuthenticator(
        {
          issuer,
          findKeys: async () => `${issuer}/oauth2/jwks`,
          audience: service,
          isTypeRequired: true,
          jwks: jwks ? parseKeys(jwks) : undefined,
          signIn: { issuer, client_id: service, scope: DEFAULT_SCOPE },
        },
        context,
      );
    },
  };
}

function parseKeys(text: string): JSONWebKeySet {
  try {
    return JSON.parse(text) as JSONWebKeySet;
  } catch (error) {
    throw createError('invalid', 'BERTH_JWKS is not a key set. The platform sets it; do not set it yourself.', {
      cause: error,
    });
  }
}
