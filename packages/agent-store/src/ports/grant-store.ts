import type { OwnerKey } from './owner-key.ts';

/** A credential as it lies in the database. */
export interface StoredGrant {
  /** A person's own key, or that of a workspace. */
  readonly owner: OwnerKey;
  readonly connector: string;
  /** Another one at each change. */
  readonly version: string;
  readonly sealed: string;
  /** The provider refused it. */
  readonly isRejected: boolean;
  readonly connectedAtMs: number;
}

/** Names one state of a stored grant. */
export type GrantRef = Pick<StoredGrant, 'owner' | 'connector' | 'version'>;

/** What people connected. One of an owner and connector. */
export interface GrantStore {
  /** In place of whatever there was; nobody has the right to renew it yet. */
  put(grant: StoredGrant): Promise<void>;
  find(owner: OwnerKey, connector: string): Promise<StoredGrant | undefined>;
  /** All of these owners. */
  listOf(owners: readonly OwnerKey[]): Promise<readonly StoredGrant[]>;
  /** Puts another version in place of `ref`; false when that is not there any more. It is not rejected then. */
  replace(ref: GrantRef, change: { readonly version: string; readonly sealed: string }): Promise<boolean>;
  /** Nothing when `ref` is not there any more. */
  markRejected(ref: GrantRef): Promise<void>;
  remove(owner: OwnerKey, connector: string): Promise<StoredGrant | undefined>;
  /** Gives `holder` the right to renew, until `untilMs`, unless somebody else has it at `nowMs` or there is nothing to renew. */
  lease(
    owner: OwnerKey,
    connector: string,
    lease: { readonly holder: string; readonly nowMs: number; readonly untilMs: number },
  ): Promise<boolean>;
  release(owner: OwnerKey, connector: string, holder: string): Promise<void>;
  /** Up to `limit` whose `sealed` does not begin with `prefix`, in the order of owner and connector, from after `after`. */
  listSealedOtherwise(
    prefix: string,
    limit: number,
    after?: Pick<StoredGrant, 'owner' | 'connector'>,
  ): Promise<readonly StoredGrant[]>;
  /** Puts `sealed` in place of `from`, of the same version; nothing when that is not there any more. */
  reseal(grant: StoredGrant, sealed: string): Promise<void>;
}
