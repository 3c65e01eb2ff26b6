/** A public client of an OpenID provider: `sign_in` of `GET /config`. Source: docs/contract/agent-api.md §3. */
export interface SignInConfig {
  /** Where `/.well-known/openid-configuration` is found below. */
  readonly issuer: string;
  readonly client_id: string;
  readonly scope?: string;
}
