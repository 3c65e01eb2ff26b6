import type { Tool } from '@berth/agent-core';
import type { ConnectorScope } from '@berth/contract/agent';
import type { Connector, OAuthAuth, OAuthSettings } from '../connector/connector.ts';
import {
  type ApiOption,
  type ConnectorDescription,
  checkApi,
  checkUrl,
  describe,
  type Wrong,
  wrongOf,
} from './check.ts';

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

/** Options of {@link oauth}. */
export interface OAuthOptions extends ConnectorDescription, OAuthSettings {
  /** `either` by default: users connect for themselves, managers for a workspace. */
  readonly scope?: ConnectorScope;
  /** The API that takes the tokens. */
  readonly api: ApiOption;
  /** Your own tools; they get `context.connector`, never the token. */
  readonly tools?: readonly Tool[];
}

/** Declares a REST API behind OAuth that users may connect. @throws `invalid` naming the option. */
export function oauth(options: OAuthOptions): Connector {
  const wrong = wrongOf('oauth', options?.name);
  const description = describe(options, wrong);
  if (options.issuer === undefined && options.authorizationUrl === undefined) {
    throw wrong('issuer', 'is missing: give it, or authorizationUrl and tokenUrl');
  }
  if (options.api === undefined) throw wrong('api', 'is missing: api: "https://api.example.com"');
  return {
    ...description,
    kind: 'oauth',
    auth: checkOAuth(options, wrong),
    api: checkApi(options.api, wrong),
    tools: options.tools ?? [],
  };
}

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
    throw wrong('clientId', 'is missing: register a client at the provider and pass its ID');
  }
  for (const [option, text] of Object.entries({ clientId, clientSecret })) {
    // An unset environment variable results in an empty option.
    if (text !== undefined && (typeof text !== 'string' || text.trim() === '')) throw wrong(option, 'is empty');
  }
  if (clientSecret !== undefined && clientId === undefined) throw wrong('clientId', 'is required with clientSecret');
  if (clientSecret !== undefined && issuer === undefined && tokenUrl === undefined) {
    throw wrong('issuer', 'is required with clientSecret: otherwise the server would decide where the secret is sent');
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
