import type { OAuthAuth } from '../connector/connector.ts';
import { checkUrl, type Wrong } from './check.ts';

/** How people sign in at a provider. */
export interface OAuthSettings {
  /** Its metadata say the rest (RFC 8414, OpenID Connect). */
  readonly issuer?: string;
  /** Instead of the issuer: where people consent, and where tokens come from. */
  readonly authorizationUrl?: string;
  readonly tokenUrl?: string;
  /** Asked when somebody disconnects (RFC 7009). */
  readonly revocationUrl?: string;
  /** Of the client that you registered at the provider. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** How the client says who it is: by its header (`basic`, the default) or in the form (`post`). */
  readonly clientAuthentication?: 'basic' | 'post';
  readonly scopes?: readonly string[];
  /** The provider takes PKCE although its metadata don't say so. */
  readonly isPkceAssumed?: boolean;
  /** Added to the address where people consent, e.g. `{ access_type: 'offline' }`. */
  readonly authorizationParameters?: Readonly<Record<string, string>>;
}

/** RFC 6749 3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
/** What the flow itself sets. */
const OWN_PARAMETERS = [
  ...['response_type', 'client_id', 'redirect_uri', 'scope', 'state', 'code_challenge', 'code_challenge_method'],
  'resource',
];

/** @throws `invalid` naming the option. */
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
    // What comes of an environment variable that is not set.
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
