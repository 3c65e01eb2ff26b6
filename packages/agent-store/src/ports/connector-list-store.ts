import type { OwnerKey } from './owner-key.ts';

/** What a server of a connector's said that it has, as it was read with somebody's credential. */
export interface StoredConnectorLists {
  /** The address that was asked. */
  readonly server: string;
  /** Of the credential it was asked with. */
  readonly version: string;
  /** As JSON. */
  readonly lists: string;
  readonly readAtMs: number;
  /** From then on it is read anew. */
  readonly staleAtMs: number;
}

/** Lists of tools and prompts, so that an agent that starts need not ask every server for them. They can always be read again. */
export interface ConnectorListStore {
  /** @param owner whose credential it was; empty for connectors without one. */
  find(owner: OwnerKey | '', connector: string): Promise<StoredConnectorLists | undefined>;
  put(owner: OwnerKey | '', connector: string, lists: StoredConnectorLists): Promise<void>;
  /** Drops those that were read before `ms`. */
  purge(ms: number): Promise<void>;
}
