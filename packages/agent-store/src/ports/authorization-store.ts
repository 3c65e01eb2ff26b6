import type { OwnerKey } from './owner-key.ts';

/** A pending OAuth authorization. */
export interface StoredAuthorization {
  /** SHA-256 of the `state` parameter. */
  readonly stateHash: string;
  /** The user who started it, as `ownerKey`. */
  readonly owner: OwnerKey;
  readonly sealed: string;
  readonly expiresAtMs: number;
}

/** Maximum number of pending authorizations per user; older ones are deleted. */
export const AUTHORIZATIONS_KEPT = 20;

/** The pending OAuth authorizations. */
export interface AuthorizationStore {
  put(authorization: StoredAuthorization): Promise<void>;
  /** Returns an authorization without consuming it. Undefined when there is none or it has expired. */
  find(stateHash: string, nowMs: number): Promise<StoredAuthorization | undefined>;
  /** Consumes an authorization: of concurrent calls, one gets it. Undefined when there is none or it has expired. */
  take(stateHash: string, nowMs: number): Promise<StoredAuthorization | undefined>;
  /** Deletes authorizations that expired before `nowMs`. */
  purge(nowMs: number): Promise<void>;
}
