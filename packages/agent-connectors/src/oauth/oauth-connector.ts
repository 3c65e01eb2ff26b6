import type { Connector, OAuthAuth } from '../connector/connector.ts';

/** A connector with OAuth authentication. */
export type OAuthConnector = Connector & { readonly auth: OAuthAuth };

/** Reports whether a connector uses OAuth. */
export function isOAuthConnector(connector: Connector | undefined): connector is OAuthConnector {
  return connector?.auth.type === 'oauth';
}
