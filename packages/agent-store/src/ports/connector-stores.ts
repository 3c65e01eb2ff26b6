import type { OwnerKey } from './owner-key.ts';

/** The level of a switch. Each level narrows the previous one. */
export type SwitchLevel = 'org' | 'workspace' | 'person';

/** The owner of switches: the organization's id, the workspace's key, or the user's key within the workspace. */
export interface SwitchOwner {
  readonly level: SwitchLevel;
  readonly owner: string;
}

/** A connector that is switched on or off. */
export interface ConnectorSwitch extends SwitchOwner {
  readonly connector: string;
  readonly isOn: boolean;
}

/** The connectors that organizations, workspaces and users have on. A connector without a switch is on. */
export interface ConnectorSwitchStore {
  set(change: ConnectorSwitch): Promise<void>;
  /** Returns all switches of these owners. */
  listOf(owners: readonly SwitchOwner[]): Promise<readonly ConnectorSwitch[]>;
}

/** The tools and prompts of an MCP server, as read with one credential. */
export interface StoredConnectorLists {
  /** URL of the server. */
  readonly server: string;
  /** Version of the credential. */
  readonly version: string;
  /** The lists as JSON. */
  readonly lists: string;
  readonly readAtMs: number;
  /** Time from which the lists are stale. */
  readonly staleAtMs: number;
}

/** A cache of tool and prompt lists, so that a starting agent need not query every server. Losing it loses no data. */
export interface ConnectorListStore {
  /** Returns the cached lists. @param owner owner of the credential; empty for connectors without authentication. */
  find(owner: OwnerKey | '', connector: string): Promise<StoredConnectorLists | undefined>;
  put(owner: OwnerKey | '', connector: string, lists: StoredConnectorLists): Promise<void>;
  /** Deletes lists that were read before `ms`. */
  purge(ms: number): Promise<void>;
}

/** A rate limit window; it begins with the first call after the previous window ended. */
export interface CallWindow {
  readonly beganAtMs: number;
  /** Calls in the window, including those just counted. */
  readonly calls: number;
}

/** Calls to count. */
export interface CountedCalls {
  readonly calls: number;
  readonly nowMs: number;
  /** Duration of a window. */
  readonly windowMs: number;
}

/** Counters of calls to connectors' APIs, across all instances. */
export interface ConnectorCallStore {
  /** Counts calls and returns the current window. */
  count(owner: OwnerKey, connector: string, counted: CountedCalls): Promise<CallWindow>;
}

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

/** A dynamically registered OAuth client. */
export interface StoredOAuthClient {
  /** Identifies the provider and everything else that the registration depends on. */
  readonly id: string;
  readonly sealed: string;
  readonly createdAtMs: number;
}

/** The dynamically registered OAuth clients. */
export interface OAuthClientStore {
  find(id: string): Promise<StoredOAuthClient | undefined>;
  /** Adds a client unless one exists, and returns the stored one. Concurrent registrations all get the same client. */
  add(client: StoredOAuthClient): Promise<StoredOAuthClient>;
  /** Deletes a client, if it is still sealed as `sealed`. */
  remove(id: string, sealed: string): Promise<void>;
  /**
   * Returns up to `limit` clients whose `sealed` doesn't begin with `prefix`, in the order of their ids, after
   * `afterId`.
   */
  listSealedOtherwise(prefix: string, limit: number, afterId?: string): Promise<readonly StoredOAuthClient[]>;
  /** Replaces the sealed text; does nothing when the client has changed. */
  reseal(client: StoredOAuthClient, sealed: string): Promise<void>;
}

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
