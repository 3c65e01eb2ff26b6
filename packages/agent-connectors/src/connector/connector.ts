import type { Tool, ToolRisk } from '@berth/agent-core';
import type { ConnectorKind, ConnectorScope } from '@berth/contract/agent';

/** Somebody else's system that people reach through the agent, each with a credential of their own or of their workspace. */
export interface Connector {
  /** `^[a-z][a-z0-9-]{0,31}$`, one of its own in the agent. */
  readonly name: string;
  readonly kind: ConnectorKind;
  readonly title: string;
  readonly description: string;
  /** An SVG as text, or a path below `/public/`. */
  readonly icon?: string;
  /** Whose credential it takes; `either`: the person's own first, then the workspace's. */
  readonly scope: ConnectorScope;
  readonly auth: ConnectorAuth;
  /** Of an MCP server. */
  readonly server?: ConnectorServer;
  /** Its REST API, for `/connectors/{name}/fetch/` and the owner's tools. */
  readonly api?: ConnectorApi;
  /** The owner's own tools: they get `context.connector`, never the secret. */
  readonly tools: readonly Tool[];
}

/** An MCP server, by Streamable HTTP. */
export interface ConnectorServer {
  readonly url: string;
  /** Whether `readOnlyHint: true` of the server makes a tool one that only reads. False: such a tool is one that writes. */
  readonly isReadOnlyTrusted: boolean;
  /** What the owner says of tools, by their true names; hints of the server only make it stricter. */
  readonly risks: Readonly<Record<string, ToolRisk>>;
}

export interface ConnectorApi {
  /** Without query and fragment; ends in `/`. What is called lies below it. */
  readonly baseUrl: string;
  /** Sent with each call, e.g. `Accept: application/vnd.github+json`. */
  readonly headers: Readonly<Record<string, string>>;
}

export type ConnectorAuth = NoAuth | OAuthAuth | KeyAuth;

/** Everybody is connected, always. */
export interface NoAuth {
  readonly type: 'none';
}

/** OAuth 2.1, authorization code with PKCE. */
export interface OAuthAuth {
  readonly type: 'oauth';
  /** RFC 8414 metadata are looked for there. Without it and without the addresses, the MCP server says (RFC 9728). */
  readonly issuer?: string;
  readonly authorizationUrl?: string;
  readonly tokenUrl?: string;
  /** RFC 7009; asked when somebody disconnects. */
  readonly revocationUrl?: string;
  /** Of a client that the owner registered; else the metadata document of the agent, or dynamic registration. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** How the client says who it is; `basic` by default when it has a secret. */
  readonly clientAuthentication?: 'basic' | 'post';
  readonly scopes: readonly string[];
  /** Proof of who began is always sent (PKCE, S256); true: also where the provider's metadata do not say that it takes it. */
  readonly isPkceAssumed?: boolean;
  /** Added to the address where people consent, e.g. `{ access_type: 'offline' }`. */
  readonly authorizationParameters: Readonly<Record<string, string>>;
}

/** A key that people paste. */
export interface KeyAuth {
  readonly type: 'key';
  readonly place: KeyPlace;
  /** The address is the person's too, on one of these hosts. */
  readonly endpoint?: KeyEndpointRule;
  /** Asked with a new key before it is kept: whatever but 2xx refuses it. */
  readonly probe?: KeyProbe;
}

/** Where the key is sent: `Authorization: Bearer KEY`, `X-Api-Key: KEY`, or `?key=KEY`. */
export type KeyPlace =
  | { readonly in: 'header'; readonly name: string; readonly scheme?: string }
  | { readonly in: 'query'; readonly name: string };

export interface KeyEndpointRule {
  /** `api.example.com` is that host alone; `.example.com` every host below it, not itself. Lower case. */
  readonly hosts: readonly string[];
  /** Shown to people. */
  readonly example?: string;
}

export interface KeyProbe {
  /** Below the base address of the API. */
  readonly path: string;
  readonly method: 'GET' | 'HEAD' | 'POST';
}
