import type { AuthProvider } from '@berth/agent-core';
import { createError } from '@berth/contract';
import type { JSONWebKeySet } from 'jose';
import { DEFAULT_SCOPE } from './oidc.ts';
import { createOidcAuthenticator } from './oidc-authenticator.ts';

/** What the platform takes an agent on a developer's own machine for. Source: docs/guides/signing-in.md */
const LOCAL_CLIENT = 'http://localhost';

/**
 * People sign in with their accounts of the Berth platform that the agent runs on; it says who it is by the environment. On
 * one's own machine `BERTH_ISSUER` names a platform to sign in with.
 * @throws `invalid` when the agent starts where no platform says so.
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
      // An operator may run a platform without https, in a network of their own: what it says of itself is trusted.
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
