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
