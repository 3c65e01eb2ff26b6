/**
 * The platform as an identity provider for the agents on it. Secrets are stored as their SHA-256 (64 lower-case hex digits);
 * times are epoch milliseconds, wall clock.
 */
export interface IdentitySchema {
  identity_keys: IdentityKeysTable;
  identity_sessions: IdentitySessionsTable;
  identity_consents: IdentityConsentsTable;
  identity_codes: IdentityCodesTable;
  identity_refresh_tokens: IdentityRefreshTokensTable;
}

/** A key that signs tokens, or signed or will sign them. */
export interface IdentityKeysTable {
  /** Its JWK thumbprint (RFC 7638). */
  readonly kid: string;
  /** JSON of a JWK. */
  readonly public_jwk: string;
  /** A PKCS #8 PEM, sealed. */
  readonly sealed_private_key: string;
  /** It is published before. */
  readonly signs_from: number;
}

/** A browser in which somebody signed in at the provider. */
export interface IdentitySessionsTable {
  readonly hash: string;
  readonly account_id: string;
  /** Null: signed in with a key that no person made. */
  readonly user_id: string | null;
  /** The key that was signed in with; the session ends with it. */
  readonly key_id: string | null;
  /** `auth_sessions.token` of a sign-in with a password; the session ends with it. */
  readonly auth_session: string | null;
  readonly created_at: number;
  readonly expires_at: number;
}

/** Somebody let an agent know who they are. */
export interface IdentityConsentsTable {
  /** A user's id, or an account's. */
  readonly subject: string;
  /** A deployment, and whose it was: one of the same name that is another's is another agent. */
  readonly client_id: string;
  readonly client_account_id: string;
  readonly created_at: number;
}

/** What an agent was given to fetch tokens with: good once. */
export interface IdentityCodesTable {
  readonly hash: string;
  readonly session_hash: string;
  readonly client_id: string;
  readonly client_account_id: string;
  readonly redirect_uri: string;
  /** Separated by spaces. */
  readonly scope: string;
  readonly nonce: string | null;
  /** BASE64URL(SHA-256(verifier)) (RFC 7636). */
  readonly code_challenge: string;
  readonly expires_at: number;
  used_at: number | null;
}

/** What an agent's page renews its tokens with: each is good once, and gives the next. */
export interface IdentityRefreshTokensTable {
  readonly hash: string;
  /** The hash of the code that the first one came from. */
  readonly family: string;
  readonly session_hash: string;
  readonly client_id: string;
  readonly client_account_id: string;
  readonly scope: string;
  readonly expires_at: number;
  used_at: number | null;
}
