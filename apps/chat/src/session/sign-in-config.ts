/** A public client of an OpenID provider: `sign_in` of `GET /config`. Source: docs/contract/agent-api.md §3. */
export interface SignInConfig {
  /** Issuer URL; its discovery document is at `/.well-known/openid-configuration`. */
  readonly issuer: string;
  readonly client_id: string;
  readonly scope?: string;
}
