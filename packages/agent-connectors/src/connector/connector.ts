import type { Tool, ToolRisk } from '@berth/agent-core';
import type { ConnectorKind, ConnectorScope, LocalText } from '@berth/contract/agent';

/** A third-party system that users reach through the agent with their own credential or their workspace's. */
export interface Connector {
  /** `^[a-z][a-z0-9-]{0,31}$`, unique within the agent. */
  readonly name: string;
  readonly kind: ConnectorKind;
  /** In English, or the first language that it has: for the model and for messages of the agent. */
  readonly title: string;
  /** As declared, for people. */
  readonly shown: { readonly title: LocalText; readonly description: LocalText };
  /** An SVG as text, or a path below `/public/`. */
  readonly icon?: string;
  /** Scope of the credentials; `either` prefers the user's own credential to the workspace's. */
  readonly scope: ConnectorScope;
  readonly auth: ConnectorAuth;
  /** The MCP server, for connectors of kind `mcp`. */
  readonly server?: ConnectorServer;
  /** The REST API, for `/connectors/{name}/fetch/` and the owner's tools. */
  readonly api?: ConnectorApi;
  /** Tools that the agent's owner wrote. They get `context.connector`, never the secret. */
  readonly tools: readonly Tool[];
}

/** An MCP server that is reached over Streamable HTTP. */
export interface ConnectorServer {
  readonly url: string;
  /** True: a tool with `readOnlyHint: true` has the risk `read`. False: such a tool has the risk `write`. */
  readonly isReadOnlyTrusted: boolean;
  /** Risks that the owner declared, by the tools' names on the server. Hints of the server can only raise them. */
  readonly risks: Readonly<Record<string, ToolRisk>>;
}

/** The REST API of a connector. */
export interface ConnectorApi {
  /** Base URL of all calls. Ends in `/`; has no query and no fragment. */
  readonly baseUrl: string;
  /** Sent with each call, e.g. `Accept: application/vnd.github+json`. */
  readonly headers: Readonly<Record<string, string>>;
}

/** How a connector authenticates. */
export type ConnectorAuth = NoAuth | OAuthAuth | KeyAuth;

/** No authentication: every user is always connected. */
export interface NoAuth {
  readonly type: 'none';
}

/** How users sign in at an OAuth provider, as the owner declares it. */
export interface OAuthSettings {
  /**
   * Issuer whose metadata gives the endpoints (RFC 8414, OpenID Connect). Without an issuer and without URLs, the MCP
   * server names its authorization server (RFC 9728).
   */
  readonly issuer?: string;
  /** Authorization endpoint; with `tokenUrl`, an alternative to the issuer. */
  readonly authorizationUrl?: string;
  readonly tokenUrl?: string;
  /** Revocation endpoint, called on disconnect (RFC 7009). */
  readonly revocationUrl?: string;
  /**
   * Id of the client that you registered at the provider. Without it, the agent uses its client metadata document or
   * dynamic registration.
   */
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

/** OAuth 2.1 with the authorization code flow and PKCE (S256). */
export interface OAuthAuth extends OAuthSettings {
  readonly type: 'oauth';
  readonly scopes: readonly string[];
  readonly authorizationParameters: Readonly<Record<string, string>>;
}

/** Authentication with an API key that users paste. */
export interface KeyAuth {
  readonly type: 'key';
  readonly place: KeyPlace;
  /** The user also gives the API's address, on one of these hosts. */
  readonly endpoint?: KeyEndpointRule;
  /** Request that checks a new key before it is stored; any status but 2xx rejects the key. */
  readonly probe?: KeyProbe;
}

/** Where the key is sent: `Authorization: Bearer KEY`, `X-Api-Key: KEY`, or `?key=KEY`. */
export type KeyPlace =
  | { readonly in: 'header'; readonly name: string; readonly scheme?: string }
  | { readonly in: 'query'; readonly name: string };

/** The hosts on which a user's API address may lie. */
export interface KeyEndpointRule {
  /**
   * In lower case. `api.example.com` matches that host only; `.example.com` matches every host below it, but not
   * itself.
   */
  readonly hosts: readonly string[];
  /** Example address, shown to users. */
  readonly example?: string;
}

/** A request that checks a new key. */
export interface KeyProbe {
  /** Path below the API's base URL. */
  readonly path: string;
  readonly method: 'GET' | 'HEAD' | 'POST';
}

/** A connector with OAuth authentication. */
export type OAuthConnector = Connector & { readonly auth: OAuthAuth };

/** Reports whether a connector uses OAuth. */
export function isOAuthConnector(connector: Connector | undefined): connector is OAuthConnector {
  return connector?.auth.type === 'oauth';
}
