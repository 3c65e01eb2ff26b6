// The platform as an identity provider for its agents. Secrets are stored as their SHA-256 (64 lower-case hex digits);
// times are epoch milliseconds, wall clock.

/** A key that signs tokens, or has signed or will sign them. */
export interface IdentityKeysTable {
  /** Its JWK thumbprint (RFC 7638). */
  readonly kid: string;
  /** JSON of a JWK. */
  readonly public_jwk: string;
  /** A PKCS #8 PEM, sealed. */
  readonly sealed_private_key: string;
  /** The key is published before this time. */
  readonly signs_from: number;
}

/** A browser signed in at the identity provider. */
export interface IdentitySessionsTable {
  readonly hash: string;
  readonly account_id: string;
  /** Null when the sign-in used a key that has no user. */
  readonly user_id: string | null;
  /** The API key used to sign in; the session ends with it. */
  readonly key_id: string | null;
  /** `auth_sessions.token` of a sign-in with a password; the session ends with it. */
  readonly auth_session: string | null;
  readonly created_at: number;
  readonly expires_at: number;
}

/** A person's consent to identify them to an agent. */
export interface IdentityConsentsTable {
  /** A user id or an account id. */
  readonly subject: string;
  /** The deployment and its account: a deployment of the same name in another account is another agent. */
  readonly client_id: string;
  readonly client_account_id: string;
  readonly created_at: number;
}

/** An authorization code, valid once. */
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

/** A refresh token, valid once; using it issues the next. */
export interface IdentityRefreshTokensTable {
  readonly hash: string;
  /** The hash of the authorization code that the first token of the family came from. */
  readonly family: string;
  readonly session_hash: string;
  readonly client_id: string;
  readonly client_account_id: string;
  readonly scope: string;
  readonly expires_at: number;
  used_at: number | null;
}
