import type { OwnerKey } from './owner-key.ts';

/** A file, folder or app in the trash. Chats keep themselves: see `ChatStore.trash`. */
export interface TrashEntry {
  readonly id: string;
  /** Where it was, relative to the workspace. */
  readonly path: string;
  readonly kind: 'file' | 'dir' | 'app';
  readonly by: 'user' | 'agent';
  readonly deletedAtMs: number;
  readonly reason: string;
}

/** The index of a workspace's trash; the bytes are the caller's. */
export interface TrashStore {
  add(owner: OwnerKey, entry: TrashEntry): Promise<void>;
  /** Newest first. */
  list(owner: OwnerKey): Promise<readonly TrashEntry[]>;
  find(owner: OwnerKey, id: string): Promise<TrashEntry | undefined>;
  /** Takes the entry out: of two who do it at once one gets it, the other undefined. */
  take(owner: OwnerKey, id: string): Promise<TrashEntry | undefined>;
  /** Takes out all that were deleted before `beforeMs`. */
  takeBefore(owner: OwnerKey, beforeMs: number): Promise<readonly TrashEntry[]>;
}
