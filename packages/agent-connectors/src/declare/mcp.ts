import type { Tool, ToolRisk } from '@berth/agent-core';
import type { ConnectorScope } from '@berth/contract/agent';
import type { Connector, ConnectorAuth, OAuthSettings } from '../connector/connector.ts';
import {
  type ApiOption,
  type ConnectorDescription,
  checkApi,
  checkUrl,
  describe,
  type Wrong,
  wrongOf,
} from './check.ts';
import { checkKey, type KeySettings } from './key.ts';
import { checkOAuth } from './oauth.ts';

/** Options of {@link mcp}. */
export interface McpOptions extends ConnectorDescription {
  /** URL of the server's Streamable HTTP endpoint. */
  readonly url: string;
  /** `either` by default: users connect for themselves, managers for a workspace. */
  readonly scope?: ConnectorScope;
  /**
   * `'none'` by default: no authentication. `'oauth'`: users sign in with the authorization server that the MCP server
   * names, or the one in your settings. `key`: users paste a key.
   */
  readonly auth?:
    | 'none'
    | 'oauth'
    | ({ readonly type: 'oauth' } & OAuthSettings)
    | ({ readonly type: 'key' } & Omit<KeySettings, 'endpoint'>);
  /** A REST API that takes the same credential. */
  readonly api?: ApiOption;
  /** Trust the server's `readOnlyHint: true`: such tools run without approval. False by default. */
  readonly isReadOnlyTrusted?: boolean;
  /** Risks of the server's tools, by name; hints of the server can only raise them. */
  readonly risks?: Readonly<Record<string, ToolRisk>>;
  /** Your own tools beside those of the server. */
  readonly tools?: readonly Tool[];
}

const RISKS: readonly ToolRisk[] = ['read', 'write', 'destructive'];

/** Declares an MCP server that users may connect. @throws `invalid` naming the option. */
export function mcp(options: McpOptions): Connector {
  const wrong = wrongOf('mcp', options?.name);
  const { url, auth = 'none', api, isReadOnlyTrusted = false, risks = {}, tools = [] } = options;
  const description = describe(options, wrong);
  const wrongRisk = Object.entries(risks).find(([, risk]) => !RISKS.includes(risk));
  if (wrongRisk) throw wrong(`risks.${wrongRisk[0]}`, 'must be "read", "write" or "destructive"');
  return {
    ...description,
    kind: 'mcp',
    server: { url: checkUrl(url, 'url', wrong).href, isReadOnlyTrusted, risks },
    auth: authOf(auth, wrong),
    ...(api !== undefined && { api: checkApi(api, wrong) }),
    tools,
  };
}

function authOf(auth: NonNullable<McpOptions['auth']>, wrong: Wrong): ConnectorAuth {
  if (auth === 'none') return { type: 'none' };
  if (auth === 'oauth') return checkOAuth({}, wrong);
  if (auth.type === 'oauth') return checkOAuth(auth, wrong);
  if (auth.type !== 'key') throw wrong('auth', 'must be "none", "oauth", { type: "oauth", … } or { type: "key", … }');
  const { probe } = auth;
  if (probe !== undefined) throw wrong('auth.probe', 'is only for key(): MCP servers list their tools themselves');
  return checkKey(auth, wrong);
}
