import type { Connector, OAuthAuth } from '../connector/connector.ts';

/** A connector that people sign in to. */
export type OAuthConnector = Connector & { readonly auth: OAuthAuth };

export function isOAuthConnector(connector: Connector | undefined): connector is OAuthConnector {
  return connector?.auth.type === 'oauth';
}
