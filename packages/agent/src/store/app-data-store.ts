import type { OwnerKey } from '../define/user.ts';

/** The rows of an app of a workspace; `who` is '' for the shared ones, else the key of the person they are of. */
export interface AppPlace {
  readonly owner: OwnerKey;
  readonly slug: string;
  readonly who: string;
}

export interface AppRow {
  readonly key: string;
  /** JSON text. */
  readonly value: string;
  /** Another one after every write. */
  readonly version: string;
}

export interface AppDataStore {
  find(place: AppPlace, key: string): Promise<AppRow | undefined>;
  /** In the order of the keys' bytes; `who` undefined is everybody's. */
  list(
    place: Omit<AppPlace, 'who'> & { readonly who: string | undefined },
    options: { readonly prefix: string; readonly after?: string; readonly limit: number },
  ): Promise<readonly AppRow[]>;
  /**
   * Writes a row. With `expected` only when the row has that version ('' : when there is none).
   * @returns the row, or undefined when another version is there.
   */
  put(place: AppPlace, key: string, value: string, expected?: string): Promise<AppRow | undefined>;
  /** Removes the row, or with a trailing `/` all below it; returns how many. */
  remove(place: AppPlace, key: string): Promise<number>;
  /** What follows the app itself: hidden with it, shown again, under another name, or gone. */
  moveApp(owner: OwnerKey, slug: string, to: string): Promise<void>;
  removeApp(owner: OwnerKey, slug: string): Promise<void>;
}
