/**
 * The tables of people and of their ways to sign in: sessions, password hashes, passkeys, devices, one-time values. Some columns
 * are never filled; better-auth asked for them, which used these tables before. Times are epoch milliseconds, wall clock.
 */
export interface AuthSchema {
  auth_users: AuthUsersTable;
  auth_sessions: AuthSessionsTable;
  auth_accounts: AuthAccountsTable;
  auth_verifications: AuthVerificationsTable;
  device_grants: DeviceGrantsTable;
  passkeys: PasskeysTable;
  passkey_challenges: PasskeyChallengesTable;
}

/** A person. */
export interface AuthUsersTable {
  readonly id: string;
  name: string;
  readonly email: string;
  /** 1 when an outside provider vouched for the address; Berth sends no mail that could. */
  email_verified: number;
  readonly image: string | null;
  readonly created_at: number;
  updated_at: number;
}

/** A signed-in browser or command line. */
export interface AuthSessionsTable {
  readonly id: string;
  readonly user_id: string;
  /** SHA-256 of the token, 64 lower-case hex digits: the token itself is not stored. */
  readonly token: string;
  readonly expires_at: number;
  readonly ip_address: string | null;
  readonly user_agent: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  /** At most a minute behind; null: never used. */
  last_used_at: number | null;
}

/** A way to sign in: a password, or an identity provider. */
export interface AuthAccountsTable {
  readonly id: string;
  readonly user_id: string;
  readonly account_id: string;
  readonly provider_id: string;
  readonly access_token: string | null;
  readonly refresh_token: string | null;
  readonly id_token: string | null;
  readonly access_token_expires_at: number | null;
  readonly refresh_token_expires_at: number | null;
  readonly scope: string | null;
  /** A scrypt hash. */
  readonly password: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/** A value that is good once. */
export interface AuthVerificationsTable {
  readonly id: string;
  readonly identifier: string;
  readonly value: string;
  readonly expires_at: number;
  readonly created_at: number;
  readonly updated_at: number;
}

/** A command line that waits for somebody to let it in. Source: RFC 8628. */
export interface DeviceGrantsTable {
  /** SHA-256 of the device code, 64 lower-case hex digits. */
  readonly hash: string;
  /** The same of the code that people type. */
  readonly user_code_hash: string;
  /** What the device calls itself. */
  readonly device_name: string;
  readonly ip_address: string | null;
  readonly user_agent: string | null;
  state: 'pending' | 'approved' | 'denied';
  /** Who let it in. */
  user_id: string | null;
  /** How long it has to wait from one question to the next. */
  interval_ms: number;
  polled_at: number | null;
  readonly created_at: number;
  readonly expires_at: number;
}

/** A key pair of a person's device or password manager, of which the platform holds the public half. Source: WebAuthn 2. */
export interface PasskeysTable {
  readonly id: string;
  readonly user_id: string;
  /** Base64url, as the authenticator chose it. */
  readonly credential_id: string;
  /** A COSE key in base64url. */
  readonly public_key: string;
  /** How often the authenticator says it has signed; 0 for those that don't count. */
  counter: number;
  /** How browsers reach the authenticator: a JSON list. */
  readonly transports: string;
  /** Whether it lies in more than one place, such as a password manager's cloud. */
  is_synced: number;
  name: string;
  readonly created_at: number;
  last_used_at: number | null;
}

/** What waits to be signed by a passkey, once. */
export interface PasskeyChallengesTable {
  /** SHA-256 of what it is for, who asked and the challenge, 64 lower-case hex digits. */
  readonly hash: string;
  readonly expires_at: number;
}
