// Tables of users and their sign-ins: sessions, password hashes, passkeys, devices, single-use values. Some columns are
// never filled: better-auth, which used these tables before, needed them. Times are epoch milliseconds, wall clock.

/** A person. */
export interface AuthUsersTable {
  readonly id: string;
  name: string;
  email: string;
  /** 1 when an outside provider verified the address, or the person confirmed it with a link that was sent there. */
  email_verified: number;
  readonly image: string | null;
  readonly created_at: number;
  updated_at: number;
  /** The language of the page at the last sign-in, for e-mails; null: unknown. */
  language: 'en' | 'ar' | null;
}

/** The session of a browser or command line. */
export interface AuthSessionsTable {
  readonly id: string;
  readonly user_id: string;
  /** SHA-256 of the token, 64 lower-case hex digits. The token itself is not stored. */
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

/** A single-use value. */
export interface AuthVerificationsTable {
  readonly id: string;
  readonly identifier: string;
  readonly value: string;
  readonly expires_at: number;
  readonly created_at: number;
  readonly updated_at: number;
}

/** A device waiting for approval, such as a command line. Source: RFC 8628. */
export interface DeviceGrantsTable {
  /** SHA-256 of the device code, 64 lower-case hex digits. */
  readonly hash: string;
  /** SHA-256 of the code that people type. */
  readonly user_code_hash: string;
  /** The device's own name. */
  readonly device_name: string;
  readonly ip_address: string | null;
  readonly user_agent: string | null;
  state: 'pending' | 'approved' | 'denied';
  /** The user who approved it. */
  user_id: string | null;
  /** Minimum polling interval of the device. */
  interval_ms: number;
  polled_at: number | null;
  readonly created_at: number;
  readonly expires_at: number;
}

/**
 * A passkey: a key pair of a person's device or password manager, of which the platform has the public half. Source:
 * WebAuthn 2.
 */
export interface PasskeysTable {
  readonly id: string;
  readonly user_id: string;
  /** Base64url, as the authenticator chose it. */
  readonly credential_id: string;
  /** A COSE key in base64url. */
  readonly public_key: string;
  /** The authenticator's signature counter; 0 for authenticators without one. */
  counter: number;
  /** How browsers reach the authenticator: a JSON list. */
  readonly transports: string;
  /** 1 when the passkey is synced, e.g. by a password manager. */
  is_synced: number;
  name: string;
  readonly created_at: number;
  last_used_at: number | null;
}

/** A challenge waiting to be signed by a passkey, once. */
export interface PasskeyChallengesTable {
  /** SHA-256 of the purpose, the user and the challenge, 64 lower-case hex digits. */
  readonly hash: string;
  readonly expires_at: number;
}
