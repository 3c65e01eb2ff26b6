import type { Tool } from '@berth/agent-core';
import type { ConnectorScope } from '@berth/contract/agent';
import type { Connector } from '../connector/connector.ts';
import { type ApiOption, type ConnectorDescription, checkApi, describe, wrongOf } from './check.ts';
import { checkOAuth, type OAuthSettings } from './oauth-settings.ts';

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
