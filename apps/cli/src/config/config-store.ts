/** What is stored for one server. */
export interface StoredCredential {
  readonly key?: string;
  /** A session's token, valid for at most a day. */
  readonly bearer?: string;
}

/** What `berth login` stores, by normalized server address. */
export interface StoredConfig {
  /** The default server. */
  readonly current?: string;
  readonly servers: Readonly<Record<string, StoredCredential>>;
}

/** The store of {@link StoredConfig}. */
export interface ConfigStore {
  readonly path: string;
  /** Reads the file; empty when there is none. @throws BerthError `bad_request` when the file has another format */
  read(): Promise<StoredConfig>;
  /** Replaces the file atomically, readable only by its owner. */
  write(config: StoredConfig): Promise<void>;
}
