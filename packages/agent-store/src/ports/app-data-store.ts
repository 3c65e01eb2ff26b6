import type { OwnerKey } from './owner-key.ts';

/** The rows of an app in a workspace; `who` is '' for the shared rows, else the id of the user who owns them. */
export interface AppPlace {
  readonly owner: OwnerKey;
  readonly slug: string;
  readonly who: string;
}

/** A row of an app's data. */
export interface AppRow {
  readonly key: string;
  /** JSON text. */
  readonly value: string;
  /** Counts the writes in the place, from 1. A version is never reused, even after a removal. */
  readonly version: number;
}

/** A page of an app's rows. */
export interface ListAppRows {
  readonly prefix: string;
  /** Cursor: only rows after this one. */
  readonly after?: { readonly key: string; readonly who: string };
  readonly limit: number;
}

/** The data of a workspace's apps. */
export interface AppDataStore {
  find(place: AppPlace, key: string): Promise<AppRow | undefined>;
  /**
   * Returns rows in the order of the keys' bytes, then of `who`. `who` undefined selects the rows of all users, without
   * the shared ones.
   */
  list(
    place: Omit<AppPlace, 'who'> & { readonly who: string | undefined },
    options: ListAppRows,
  ): Promise<readonly (AppRow & { readonly who: string })[]>;
  /**
   * Writes a row. With `expected`, only when the row has that version (0: when it doesn't exist).
   * @returns the row, or undefined when it has another version.
   */
  put(place: AppPlace, key: string, value: string, expected?: number): Promise<AppRow | undefined>;
  /** Removes a row, or with a trailing `/` all rows below the key; returns their number. */
  remove(place: AppPlace, key: string): Promise<number>;
  /** Moves an app's rows when the app is renamed, trashed or restored. Rows of `to` under other keys are kept. */
  moveApp(owner: OwnerKey, slug: string, to: string): Promise<void>;
  /** Removes all rows of an app. */
  removeApp(owner: OwnerKey, slug: string): Promise<void>;
}
