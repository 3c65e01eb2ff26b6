import type { OwnerKey } from './owner-key.ts';

/** A consent under way. */
export interface StoredAuthorization {
  /** SHA-256 of the `state` that came with it. */
  readonly stateHash: string;
  /** Who asked for it, `ownerKey`. */
  readonly owner: OwnerKey;
  readonly sealed: string;
  readonly expiresAtMs: number;
}

/** Consents of one person under way at once; older ones are dropped. */
export const AUTHORIZATIONS_KEPT = 20;

export interface AuthorizationStore {
  put(authorization: StoredAuthorization): Promise<void>;
  /** Leaves it there. Undefined when there is none or it has expired. */
  find(stateHash: string, nowMs: number): Promise<StoredAuthorization | undefined>;
  /** Of two who take it at once one gets it. Undefined when there is none or it has expired. */
  take(stateHash: string, nowMs: number): Promise<StoredAuthorization | undefined>;
  /** Drops what expired before `nowMs`. */
  purge(nowMs: number): Promise<void>;
}
