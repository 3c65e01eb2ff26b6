import type { OwnerKey } from './owner-key.ts';

/** The rows of an app of a workspace; `who` is '' for the shared ones, else the id of the person they are of. */
export interface AppPlace {
  readonly owner: OwnerKey;
  readonly slug: string;
  readonly who: string;
}

export interface AppRow {
  readonly key: string;
  /** JSON text. */
  readonly value: string;
  /** Counts the writes of the place: what was given once is never given again, also not after a removal. From 1. */
  readonly version: number;
}

export interface ListAppRows {
  readonly prefix: string;
  /** Rows after this one. */
  readonly after?: { readonly key: string; readonly who: string };
  readonly limit: number;
}

export interface AppDataStore {
  find(place: AppPlace, key: string): Promise<AppRow | undefined>;
  /** In the order of the keys' bytes, then of `who`; `who` undefined is everybody's, the shared ones left out. */
  list(
    place: Omit<AppPlace, 'who'> & { readonly who: string | undefined },
    options: ListAppRows,
  ): Promise<readonly (AppRow & { readonly who: string })[]>;
  /**
   * Writes a row. With `expected` only when the row has that version (0: when there is none).
   * @returns the row, or undefined when another version is there.
   */
  put(place: AppPlace, key: string, value: string, expected?: number): Promise<AppRow | undefined>;
  /** Removes the row, or with a trailing `/` all below it; returns how many. */
  remove(place: AppPlace, key: string): Promise<number>;
  /** What follows the app itself: hidden with it, shown again, under another name, or gone. Rows that `to` has stay beside. */
  moveApp(owner: OwnerKey, slug: string, to: string): Promise<void>;
  removeApp(owner: OwnerKey, slug: string): Promise<void>;
}
