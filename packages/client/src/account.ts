/** What a key may do. Source: spec control-plane 8. */
export const KEY_SCOPES = ['read', 'deploy', 'volumes', 'logs', 'billing', 'admin'] as const;

export type KeyScope = (typeof KEY_SCOPES)[number];

/** `GET /v1/user`: whose credential this is. */
export interface WhoAmI {
  readonly account: { readonly id: string; readonly name: string };
  readonly email: string | null;
  readonly scopes: readonly KeyScope[];
}

/** A row of `GET /v1/user/keys`; the secret is never in it. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly KeyScope[];
  readonly created_at: string;
  /** Null: never. */
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
}

/** What `POST /v1/user/keys` answers: the only time the secret is shown. */
export interface CreatedApiKey extends ApiKey {
  readonly key: string;
}

export interface CreateKeyRequest {
  readonly name: string;
  /** All of the caller's when absent. */
  readonly scopes?: readonly KeyScope[];
  /** RFC 3339. */
  readonly expires_at?: string;
}

/** `POST /v1/admin/accounts`: the new account with its first key. */
export interface CreatedAccount {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly key: string;
}
