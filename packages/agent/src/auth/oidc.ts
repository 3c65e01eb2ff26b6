import type { AuthProvider } from '@berth/agent-core';
import { createError } from '@berth/contract';
import type { JSONWebKeySet } from 'jose';
import type { ClaimMapping } from './claims.ts';
import { type Fetch, fetchJson } from './fetch-json.ts';
import { createOidcAuthenticator } from './oidc-authenticator.ts';

export interface OidcOptions {
  /** As in the tokens' `iss`, e.g. `https://login.example.com`; its discovery document says where its keys are. */
  readonly issuer?: string;
  /** Where its keys are, instead of asking `issuer`. Without `issuer` tokens of any issuer with these keys are taken. */
  readonly jwksUrl?: string;
  /** Keys that are trusted from the start, for where the provider can't be reached. */
  readonly jwks?: JSONWebKeySet;
  /** One of these must be in the tokens' `aud`. Set it: else a token made for another application is good here. */
  readonly audience?: string | readonly string[];
  /** Where the fields of a user are in the tokens. */
  readonly claims?: ClaimMapping;
  /** The client id with which the chat page signs people in; without it the page can't. */
  readonly clientId?: string;
  /** What the page asks for; `openid profile email offline_access`. */
  readonly scope?: string;
  /** Instead of the global one. */
  readonly fetch?: Fetch;
}

/** With a token to renew it: people stay signed in while they work. */
export const DEFAULT_SCOPE = 'openid profile email offline_access';

/**
 * People sign in with an OpenID Connect provider; requests carry its tokens.
 * @throws `invalid` when the agent starts: without `issuer` and `jwksUrl`, or with an address that is not https.
 */
export function oidc(options: OidcOptions): AuthProvider {
  return {
    open(context) {
      const { issuer, jwksUrl, audience, clientId, scope = DEFAULT_SCOPE } = options;
      if (issuer === undefined && jwksUrl === undefined) {
        throw createError('invalid', 'oidc() needs the issuer, or the jwksUrl, of an identity provider.');
      }
      for (const url of [issuer, jwksUrl]) if (url !== undefined) requireSafe(url);
      if (audience === undefined) {
        const message = 'oidc() has no audience: tokens that the provider made for other applications are taken too';
        context.logger.warn({ issuer, jwksUrl }, message);
      }
      return createOidcAuthenticator(
        {
          ...options,
          findKeys: async () => jwksUrl ?? (await discoverKeys(issuer as string, options.fetch)),
          signIn: issuer !== undefined && clientId !== undefined ? { issuer, client_id: clientId, scope } : null,
        },
        context,
      );
    },
  };
}

/** Source: OpenID Connect Discovery 1.0, 4. */
async function discoverKeys(issuer: string, fetch: Fetch | undefined): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const document = (await fetchJson(url, fetch)) as { readonly issuer?: unknown; readonly jwks_uri?: unknown } | null;
  if (document?.issuer !== issuer) throw new Error(`${url} is of another issuer: ${document?.issuer}`);
  if (typeof document.jwks_uri !== 'string') throw new Error(`${url} does not say where the keys are`);
  requireSafe(document.jwks_uri);
  return document.jwks_uri;
}

/** Keys that come over an open line may be anybody's. */
function requireSafe(url: string): void {
  const { protocol, hostname } = URL.canParse(url) ? new URL(url) : { protocol: '', hostname: '' };
  const isLocal = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  if (protocol === 'https:' || (protocol === 'http:' && isLocal)) return;
  throw createError('invalid', `oidc() takes addresses that begin with https://; "${url}" does not.`);
}
