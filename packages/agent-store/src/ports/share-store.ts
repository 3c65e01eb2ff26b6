import type { OwnerKey } from './owner-key.ts';

/** A share. Its token is stored sealed, for its owner alone. */
export interface StoredShare {
  /** SHA-256 of the token, hexadecimal. */
  readonly tokenHash: string;
  /** The token, sealed; undefined for a share of an earlier version. */
  readonly sealedToken?: string;
  readonly owner: OwnerKey;
  /** `chat/<id>` or `file/<path>`. */
  readonly path: string;
  /** `public` or `org:<id>`. */
  readonly audience: string;
  readonly isLive: boolean;
  readonly title: string;
  readonly createdAtMs: number;
  readonly expiresAtMs?: number;
  /** Content at the share's creation; any JSON. */
  readonly snapshot: unknown;
}

/** The shares of chats and files. */
export interface ShareStore {
  add(share: StoredShare): Promise<void>;
  /** Returns the owner's shares, newest first, without their snapshots. */
  list(owner: OwnerKey): Promise<readonly Omit<StoredShare, 'snapshot'>[]>;
  /** Returns a share, even an expired one: the caller gives one answer for expired and unknown shares. */
  find(owner: OwnerKey, tokenHash: string): Promise<StoredShare | undefined>;
  /** Returns the share with this token, no matter who created it, even an expired one. */
  findByToken(tokenHash: string): Promise<StoredShare | undefined>;
  /** Deletes a share; false when there is none. */
  remove(owner: OwnerKey, tokenHash: string): Promise<boolean>;
}
