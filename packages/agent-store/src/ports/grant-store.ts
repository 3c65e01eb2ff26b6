import type { OwnerKey } from './owner-key.ts';

/** A credential as stored, sealed. */
export interface StoredGrant {
  /** Key of a user or of a workspace. */
  readonly owner: OwnerKey;
  readonly connector: string;
  /** Changes with each change of the credential. */
  readonly version: string;
  readonly sealed: string;
  /** The provider rejected the credential. */
  readonly isRejected: boolean;
  readonly connectedAtMs: number;
}

/** A reference to one version of a stored grant. */
export type GrantRef = Pick<StoredGrant, 'owner' | 'connector' | 'version'>;

/** The credentials of connectors, one per owner and connector. */
export interface GrantStore {
  /** Stores a grant, replacing any other one and its lease. */
  put(grant: StoredGrant): Promise<void>;
  find(owner: OwnerKey, connector: string): Promise<StoredGrant | undefined>;
  /** Returns all grants of these owners. */
  listOf(owners: readonly OwnerKey[]): Promise<readonly StoredGrant[]>;
  /** Replaces `ref` by a new version, which isn't rejected; false when `ref` is no longer current. */
  replace(ref: GrantRef, change: { readonly version: string; readonly sealed: string }): Promise<boolean>;
  /** Marks `ref` as rejected; does nothing when it is no longer current. */
  markRejected(ref: GrantRef): Promise<void>;
  remove(owner: OwnerKey, connector: string): Promise<StoredGrant | undefined>;
  /**
   * Leases the renewal to `holder` until `untilMs`. False when another holder's lease is valid at `nowMs`, or the grant
   * doesn't exist.
   */
  lease(
    owner: OwnerKey,
    connector: string,
    lease: { readonly holder: string; readonly nowMs: number; readonly untilMs: number },
  ): Promise<boolean>;
  release(owner: OwnerKey, connector: string, holder: string): Promise<void>;
  /**
   * Returns up to `limit` grants whose `sealed` doesn't begin with `prefix`, in the order of owner and connector, after
   * `after`.
   */
  listSealedOtherwise(
    prefix: string,
    limit: number,
    after?: Pick<StoredGrant, 'owner' | 'connector'>,
  ): Promise<readonly StoredGrant[]>;
  /** Replaces the sealed text of this version; does nothing when the grant has changed. */
  reseal(grant: StoredGrant, sealed: string): Promise<void>;
}
