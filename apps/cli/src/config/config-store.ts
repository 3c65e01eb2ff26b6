/** What is kept for one server. */
export interface StoredCredential {
  readonly key?: string;
  /** A session's token, of at most a day. */
  readonly bearer?: string;
}

/** What `berth login` remembers. Servers are under their address in its one form. */
export interface StoredConfig {
  /** The server that is meant when none is named. */
  readonly current?: string;
  readonly servers: Readonly<Record<string, StoredCredential>>;
}

/** The file of what is remembered. */
export interface ConfigStore {
  readonly path: string;
  /** Nothing remembered when there is no file. @throws `bad_request` when the file is not one of ours. */
  read(): Promise<StoredConfig>;
  /** Replaces it whole, readable by its owner alone. */
  write(config: StoredConfig): Promise<void>;
}
