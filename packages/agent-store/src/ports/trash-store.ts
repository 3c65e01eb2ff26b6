import type { OwnerKey } from './owner-key.ts';

/** A file, folder or app in the trash. For chats see `ChatStore.trash`. */
export interface TrashEntry {
  readonly id: string;
  /** Original path, relative to the workspace. */
  readonly path: string;
  readonly kind: 'file' | 'dir' | 'app';
  readonly by: 'user' | 'agent';
  readonly deletedAtMs: number;
  readonly reason: string;
}

/** The index of a workspace's trash; the caller stores the files. */
export interface TrashStore {
  add(owner: OwnerKey, entry: TrashEntry): Promise<void>;
  /** Returns all entries, newest first. */
  list(owner: OwnerKey): Promise<readonly TrashEntry[]>;
  find(owner: OwnerKey, id: string): Promise<TrashEntry | undefined>;
  /** Removes and returns an entry: of concurrent calls, one gets it and the others get undefined. */
  take(owner: OwnerKey, id: string): Promise<TrashEntry | undefined>;
  /** Removes and returns all entries deleted before `beforeMs`. */
  takeBefore(owner: OwnerKey, beforeMs: number): Promise<readonly TrashEntry[]>;
}
