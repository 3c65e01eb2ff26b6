/** What the server tells the page: `GET /config`, inlined as `window.__CONFIG__`. Source: spec agent-api 3. */
export interface PageConfig {
  readonly name: string;
  readonly title: string;
  readonly description?: string;
  /** Whether the agent asks for a token; without one it keeps no chats. */
  readonly auth: boolean;
  /** Whether there are connectors. */
  readonly connectors?: boolean;
  /** Who may make teams; null or absent where there are none. */
  readonly workspaces?: 'member' | 'admin' | null;
  readonly suggestions?: readonly string[];
  /** MiB. */
  readonly max_upload?: number;
  /** How people sign in; null or absent when the page can't do it for them. */
  readonly sign_in?: SignInConfig | { readonly token: string } | null;
}

/** A public client of an OpenID provider. */
export interface SignInConfig {
  /** Where `/.well-known/openid-configuration` is found below. */
  readonly issuer: string;
  readonly client_id: string;
  readonly scope?: string;
}
