import type { AuthContext, Authenticator, AuthProvider, User } from '@berth/agent-core';
import { createError } from '@berth/contract';
import type { JSONWebKeySet, JWTPayload } from 'jose';
import { type ClaimMapping, toUser } from './claims.ts';
import { createKeySet } from './key-set.ts';
import { createOpaqueTokens, type IntrospectionOptions } from './opaque-tokens.ts';
import { createProfiles, type Profiles } from './profiles.ts';
import { createDiscovery, type Endpoint, type Fetch, fetchDocument, requireSafe } from './provider-requests.ts';
import { createSignInOrigins } from './sign-in-origins.ts';
import { createTokenCache } from './token-cache.ts';
import { isJwt, MAX_TOKEN_CHARACTERS, refuse, type VerifyOptions, verifyToken } from './verify-token.ts';

/** Options of {@link oidc}. */
export interface OidcOptions {
  /** The `iss` of the tokens, e.g. `https://login.example.com`. Its discovery document gives the address of the keys. */
  readonly issuer?: string;
  /**
   * The address of the key set, in place of discovery. Without `issuer`, tokens of any issuer with these keys are accepted.
   */
  readonly jwksUrl?: string;
  /** Keys that are trusted from the start, for networks that can't reach the provider. */
  readonly jwks?: JSONWebKeySet;
  /**
   * Accepted values of the tokens' `aud`; `resource` by default. Without both, tokens issued for other applications are
   * accepted too.
   */
  readonly audience?: string | readonly string[];
  /**
   * The absolute URI of the API that the chat page requests tokens for, sent as `resource` (RFC 8707). Providers with
   * this standard then issue tokens for it. For providers with a parameter of their own see `authorizationParameters`.
   */
  readonly resource?: string;
  /**
   * How access tokens that aren't JWTs are checked; without it they are refused. Introspection options ask the provider
   * about each token (RFC 7662). `'userinfo'` accepts every token that the provider's userinfo endpoint answers. That
   * endpoint does not tell whom a token was issued to, so tokens of every application of the provider are accepted: use
   * it only where all of these applications are yours.
   */
  readonly opaqueTokens?: 'userinfo' | IntrospectionOptions;
  /**
   * False to take names and e-mail addresses only from the tokens. By default those that a token with the scopes
   * `openid profile email` lacks are requested from the issuer's userinfo endpoint, and kept for up to five minutes.
   */
  readonly userinfo?: boolean;
  /** The claims that hold the fields of a user. */
  readonly claims?: ClaimMapping;
  /** The client id with which the chat page signs people in. Without it the page has no sign-in. */
  readonly clientId?: string;
  /** The scope that the page requests; `openid profile email offline_access` by default. */
  readonly scope?: string;
  /** Parameters that the page adds to the sign-in, e.g. Auth0's `{ audience: 'https://api.example.com' }`. */
  readonly authorizationParameters?: Readonly<Record<string, string>>;
  /** Replaces the global `fetch`. */
  readonly fetch?: Fetch;
}

/** The default scope. `offline_access` requests a refresh token, which keeps people signed in. */
export const DEFAULT_SCOPE = 'openid profile email offline_access';

/**
 * Returns an auth provider for an OpenID Connect provider, whose access tokens the requests carry.
 * @throws `invalid` at the start of the agent: without both `issuer` and `jwksUrl`, with an address that isn't https, or
 * with options that contradict each other
 */
export function oidc(options: OidcOptions): AuthProvider {
  return {
    open(context) {
      checkOptions(options);
      const { issuer, jwksUrl, resource, audience = resource, opaqueTokens: by, fetch } = options;
      if (audience === undefined) {
        const message = 'oidc() has no audience: tokens for other applications of the provider are accepted too';
        context.logger.warn({ issuer, jwksUrl }, message);
      }
      const discovery = issuer === undefined ? undefined : createDiscovery(issuer, { clock: context.clock, fetch });
      const findEndpoint = (endpoint: Endpoint) =>
        discovery?.get(endpoint) ?? Promise.reject(new Error(`without an issuer, set the ${endpoint}`));
      const signIn = toSignIn(options);
      return createOidcAuthenticator(
        {
          ...options,
          audience,
          signIn,
          ...(signIn && discovery && { signInOrigins: createSignInOrigins(discovery, context.clock) }),
          findKeys: async () => jwksUrl ?? (await findEndpoint('jwks_uri')),
          ...(by && { checkOpaque: createOpaqueTokens({ by, issuer, audience, fetch, findEndpoint }, context) }),
          ...(issuer !== undefined &&
            options.userinfo !== false && { profiles: createProfiles({ ...options, findEndpoint }, context) }),
        },
        context,
      );
    },
  };
}

function checkOptions({
  issuer,
  jwksUrl,
  resource,
  audience,
  opaqueTokens,
  authorizationParameters,
}: OidcOptions): void {
  const wrong = (what: string) => createError('invalid', `oidc(): ${what}`);
  if (issuer === undefined && jwksUrl === undefined) {
    throw createError('invalid', 'oidc() needs the issuer, or the jwksUrl, of an identity provider.');
  }
  const introspection = typeof opaqueTokens === 'object' ? opaqueTokens : undefined;
  for (const url of [issuer, jwksUrl, introspection?.url]) if (url !== undefined) requireSafe(url);
  // RFC 8707, section 2.
  if (resource !== undefined && (!URL.canParse(resource) || resource.includes('#'))) {
    throw wrong(
      `resource must be an absolute URI without a fragment, such as https://api.example.com; got "${resource}".`,
    );
  }
  const taken = Object.keys(authorizationParameters ?? {}).find((name) => OWN_PARAMETERS.includes(name));
  if (taken !== undefined) throw wrong(`authorizationParameters must not have ${taken}: the page sets it.`);
  if (opaqueTokens === undefined) return;
  if (introspection ? !introspection.clientId || !introspection.clientSecret : opaqueTokens !== 'userinfo') {
    throw wrong(
      `opaqueTokens must be 'userinfo' or { clientId, clientSecret } of a client that may introspect tokens.`,
    );
  }
  if (issuer === undefined && introspection?.url === undefined) {
    throw wrong('opaqueTokens needs the issuer, or for introspection the url of its endpoint.');
  }
  if (!introspection && (audience ?? resource) !== undefined) {
    throw wrong(
      "opaqueTokens: 'userinfo' can't check an audience. Use introspection: opaqueTokens: { clientId, clientSecret }.",
    );
  }
}

/** Parameters that the page's sign-in sets itself. */
const OWN_PARAMETERS = [
  ...['response_type', 'client_id', 'redirect_uri', 'scope', 'state', 'code_challenge', 'code_challenge_method'],
  'resource',
];

/** Returns the sign-in of the page; null where it has none. */
function toSignIn(options: OidcOptions): Authenticator['signIn'] {
  const { issuer, clientId, scope = DEFAULT_SCOPE, resource, authorizationParameters: parameters } = options;
  if (issuer === undefined || clientId === undefined) return null;
  return { issuer, client_id: clientId, scope, ...(resource && { resource }), ...(parameters && { parameters }) };
}

/** How long the result for a verified token is kept. Adds to the time for which a revoked key is accepted. */
const VERIFIED_MS = 60_000;

/** Dependencies of an authenticator on its provider. */
interface Provider extends Omit<VerifyOptions, 'keys' | 'clock'> {
  /** Returns the address of the key set. Called before each load, because a provider may move it. */
  findKeys(): Promise<string>;
  /** Returns the claims of a token that isn't a JWT. Without it such tokens are refused. */
  checkOpaque?(token: string): Promise<JWTPayload>;
  /** Adds what the claims of a token lack of its user. */
  readonly profiles?: Profiles;
  readonly jwks?: JSONWebKeySet | undefined;
  readonly claims?: ClaimMapping | undefined;
  /** The sign-in settings that `GET /config` returns. */
  readonly signIn: Authenticator['signIn'];
  readonly signInOrigins?: NonNullable<Authenticator['signInOrigins']>;
  readonly fetch?: Fetch | undefined;
}

/** Creates an authenticator that verifies tokens of an OpenID Connect provider and reads the user from them. */
export function createOidcAuthenticator(
  { findKeys, checkOpaque, profiles, jwks, claims, signIn, signInOrigins, fetch, ...expected }: Provider,
  { clock, logger }: AuthContext,
): Authenticator {
  const load = async () => toKeySet(await fetchDocument(await findKeys(), fetch));
  const keys = createKeySet({ load, initial: jwks, clock, logger });
  const verified = createTokenCache<JWTPayload>(clock);
  const verifyOnce = async (token: string) => {
    const payload = await verifyToken(token, { ...expected, keys, clock });
    const leftMs = (payload.exp ?? 0) * 1_000 - clock.nowMs();
    return { value: payload, keepMs: Math.min(leftMs, VERIFIED_MS) };
  };
  const check = (token: string): Promise<JWTPayload> => {
    if (token.length > MAX_TOKEN_CHARACTERS) throw refuse('is too long');
    if (isJwt(token)) return verified(token, () => verifyOnce(token));
    if (checkOpaque) return checkOpaque(token);
    throw refuse("can't be verified: it is not a JWT");
  };
  const { issuer } = expected;
  return {
    signIn,
    ...(signInOrigins && { signInOrigins }),
    ...(issuer !== undefined && { issuer }),
    async verify(token): Promise<User> {
      const payload = await check(token);
      const user = toUser(payload, claims);
      return profiles ? profiles.complete(user, payload, token) : user;
    },
  };
}

function toKeySet({ keys }: { readonly keys?: unknown }): JSONWebKeySet {
  if (!Array.isArray(keys)) throw new Error('the key set has no list of keys');
  return { keys: keys.filter((key) => typeof key === 'object' && key !== null) };
}
