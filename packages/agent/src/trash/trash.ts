import type { WorkspacePath } from '@berth/agent-core';
import type { OwnerKey, TrashEntry } from '@berth/agent-store';
import type { TrashItem } from '@berth/contract/agent';

/**
 * What was deleted in a workspace, for 30 days: its files, which belong to all who work in it, and the chats of one of them.
 * `member` is whose chats those are; without it the workspace's own key, which a personal one shares with its person.
 * Source: docs/contract/agent-api.md §5.
 */
export interface Trash {
  /** Moves a file or folder into the trash, in one step. @throws `not_found`; `forbidden` for the workspace itself */
  put(
    workspace: OwnerKey,
    path: WorkspacePath,
    options: Pick<TrashEntry, 'by'> & { readonly reason?: string },
  ): Promise<Pick<TrashEntry, 'id' | 'kind'>>;
  /** Lists entries, newest first; deletes those older than 30 days. */
  list(workspace: OwnerKey, member?: OwnerKey): Promise<readonly TrashItem[]>;
  /** Restores an entry and returns its path: `name (restored).ext` when its own is taken. @throws `not_found`; `conflict` */
  restore(workspace: OwnerKey, id: string, member?: OwnerKey): Promise<string>;
  /** Deletes an entry permanently. @throws `not_found` */
  remove(workspace: OwnerKey, id: string, member?: OwnerKey): Promise<void>;
  /** Empties the trash permanently, except other members' chats. */
  empty(workspace: OwnerKey, member?: OwnerKey): Promise<void>;
}

/** Chats keep themselves; the trash shows them beside files, as `chat:<id>`. */
export interface TrashedChats {
  listTrashed(
    owner: OwnerKey,
  ): Promise<readonly { readonly id: string; readonly title: string; readonly deletedAtMs: number }[]>;
  restore(owner: OwnerKey, chatId: string): Promise<boolean>;
  purge(owner: OwnerKey, options: { readonly chatId?: string; readonly beforeMs: number }): Promise<number>;
}
