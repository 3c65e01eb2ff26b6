import type { OwnerKey } from './owner-key.ts';

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
