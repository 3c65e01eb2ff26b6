import type { OwnerKey } from './owner-key.ts';

/** A share. The token itself is never kept. */
export interface StoredShare {
  /** SHA-256 of the token, hexadecimal. */
  readonly tokenHash: string;
  readonly owner: OwnerKey;
  /** `chat/<id>` or `file/<path>`. */
  readonly path: string;
  /** `public` or `org:<id>`. */
  readonly audience: string;
  readonly isLive: boolean;
  readonly title: string;
  readonly createdAtMs: number;
  readonly expiresAtMs?: number;
  /** What was frozen at its creation; any JSON. */
  readonly snapshot: unknown;
}

export interface ShareStore {
  add(share: StoredShare): Promise<void>;
  /** Of the owner, newest first, without their snapshots. */
  list(owner: OwnerKey): Promise<readonly Omit<StoredShare, 'snapshot'>[]>;
  /** Expired ones too: the caller decides, with one answer for all that is not there. */
  find(owner: OwnerKey, tokenHash: string): Promise<StoredShare | undefined>;
  /** False when there is none. */
  remove(owner: OwnerKey, tokenHash: string): Promise<boolean>;
}
