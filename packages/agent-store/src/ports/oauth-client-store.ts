/** A client of the agent at a provider that registered it when it was asked to. */
export interface StoredOAuthClient {
  /** Names the provider and whatever else the registration depends on. */
  readonly id: string;
  readonly sealed: string;
  readonly createdAtMs: number;
}

export interface OAuthClientStore {
  find(id: string): Promise<StoredOAuthClient | undefined>;
  /** Unless there is one: of two who register at once both use what is there afterwards, which this returns. */
  add(client: StoredOAuthClient): Promise<StoredOAuthClient>;
  /** Forgets it, if it is still sealed like that. */
  remove(id: string, sealed: string): Promise<void>;
  /** Up to `limit` whose `sealed` does not begin with `prefix`, in the order of their ids, from after `afterId`. */
  listSealedOtherwise(prefix: string, limit: number, afterId?: string): Promise<readonly StoredOAuthClient[]>;
  /** Puts `sealed` in place of what it was; nothing when that is not there any more. */
  reseal(client: StoredOAuthClient, sealed: string): Promise<void>;
}
