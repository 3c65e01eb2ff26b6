import type { OAuthAuth } from '../connector/connector.ts';
import { checkUrl, type Wrong } from './check.ts';

/** How users sign in at an OAuth provider. */
export interface OAuthSettings {
  /** Issuer whose metadata gives the endpoints (RFC 8414, OpenID Connect). */
  readonly issuer?: string;
  /** Authorization endpoint; with `tokenUrl`, an alternative to the issuer. */
  readonly authorizationUrl?: string;
  readonly tokenUrl?: string;
  /** Revocation endpoint, called on disconnect (RFC 7009). */
  readonly revocationUrl?: string;
  /** Id of the client that you registered at the provider. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** Client authentication: in a header (`basic`, the default) or in the form (`post`). */
  readonly clientAuthentication?: 'basic' | 'post';
  readonly scopes?: readonly string[];
  /** The provider supports PKCE although its metadata doesn't announce it. */
  readonly isPkceAssumed?: boolean;
  /** Extra parameters of the authorization URL, e.g. `{ access_type: 'offline' }`. */
  readonly authorizationParameters?: Readonly<Record<string, string>>;
}

/** RFC 6749 3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
/** Parameters that the flow itself sets. */
const OWN_PARAMETERS = [
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
  'resource',
];

/** @throws `invalid` naming the option. */
/** Checks the settings of an OAuth provider. @throws `invalid` naming the option. */
export function checkOAuth(settings: OAuthSettings, wrong: Wrong): OAuthAuth {
  const { issuer, authorizationUrl, tokenUrl, revocationUrl, clientId, clientSecret, scopes = [] } = settings;
  const { clientAuthentication, isPkceAssumed, authorizationParameters = {} } = settings;
  const urls = { issuer, authorizationUrl, tokenUrl, revocationUrl };
  for (const [option, url] of Object.entries(urls)) if (url !== undefined) checkUrl(url, option, wrong);
  if ((authorizationUrl === undefined) !== (tokenUrl === undefined)) {
    throw wrong('authorizationUrl', 'and tokenUrl go together: give both, or an issuer');
  }
  if (authorizationUrl !== undefined && clientId === undefined) {
    throw wrong('clientId', 'is missing: register a client at the provider, and give its id');
  }
  for (const [option, text] of Object.entries({ clientId, clientSecret })) {
    // An unset environment variable results in an empty option.
    if (text !== undefined && (typeof text !== 'string' || text.trim() === '')) throw wrong(option, 'is empty');
  }
  if (clientSecret !== undefined && clientId === undefined) throw wrong('clientId', 'is missing beside clientSecret');
  if (clientSecret !== undefined && issuer === undefined && tokenUrl === undefined) {
    throw wrong('issuer', 'is missing beside clientSecret: else the server would say whom the secret is sent to');
  }
  if (!Array.isArray(scopes) || !scopes.every((scope) => SCOPE.test(scope))) {
    throw wrong('scopes', 'must be a list of names without spaces: scopes: ["read", "write"]');
  }
  if (clientAuthentication !== undefined && !['basic', 'post'].includes(clientAuthentication)) {
    throw wrong('clientAuthentication', 'must be "basic" or "post"');
  }
  const taken = Object.keys(authorizationParameters).find((name) => OWN_PARAMETERS.includes(name));
  if (taken !== undefined) throw wrong('authorizationParameters', `must not have ${taken}: it is set for you`);
  return {
    type: 'oauth',
    ...Object.fromEntries(Object.entries(urls).filter(([, url]) => url !== undefined)),
    ...(clientId !== undefined && { clientId }),
    ...(clientSecret !== undefined && { clientSecret }),
    ...(clientAuthentication !== undefined && { clientAuthentication }),
    ...(isPkceAssumed !== undefined && { isPkceAssumed }),
    scopes,
    authorizationParameters,
  };
}
