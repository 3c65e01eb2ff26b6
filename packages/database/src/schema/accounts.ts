/** The owners of everything. Every row of a customer of the platform names its account. */
export interface AccountsTable {
  /** `acc_…`. */
  readonly id: string;
  /** Unique among accounts. */
  readonly name: string;
  /** Name of the plan; its limits are configuration, not data. */
  plan: string;
  /** 1 for the operator's own account, the only one that may create others; 0 for the rest. */
  readonly is_operator: number;
  readonly created_at: number;
}

/** Users who are members of an account. */
export interface AccountMembersTable {
  readonly account_id: string;
  /** `auth_users.id`. */
  readonly user_id: string;
  role: 'owner' | 'admin' | 'member';
  readonly created_at: number;
}

/** API keys. The secret is never stored. */
export interface ApiKeysTable {
  /** `key_…`. */
  readonly id: string;
  readonly account_id: string;
  /** The user who created the key; null for a key of the operator or the bootstrap. */
  readonly user_id: string | null;
  readonly name: string;
  /** The first characters of the secret, so that people can tell keys apart. */
  readonly start: string;
  /** SHA-256 of the secret, 64 lower-case hex digits. */
  readonly hash: string;
  /** JSON array of scope words. */
  readonly scopes: string;
  /** Null: does not expire. */
  readonly expires_at: number | null;
  /** At most a minute behind; null: never used. */
  last_used_at: number | null;
  /** Null while the key is valid. */
  revoked_at: number | null;
  readonly created_at: number;
}

/** An invitation link, valid once, that makes its user a member. */
export interface AccountInvitesTable {
  /** `inv_…`. */
  readonly id: string;
  readonly account_id: string;
  /** SHA-256 of the link's secret, 64 lower-case hex digits. */
  readonly hash: string;
  readonly role: 'owner' | 'admin' | 'member';
  /** The only address that may use it, in lower case; null: any address. */
  readonly email: string | null;
  /** `auth_users.id`; null when it was created with a key that has no user. */
  readonly invited_by: string | null;
  readonly created_at: number;
  readonly expires_at: number;
}
