import type { TrashItem } from '@berth/contract/agent';
import type { OwnerKey } from '../define/user.ts';
import type { WorkspacePath } from '../files/workspace-path.ts';
import type { TrashEntry } from '../store/trash-store.ts';

/** What was deleted in an owner's workspace, for 30 days. Source: spec agent-api 5. */
export interface Trash {
  /** Moves a file or folder into the trash, in one step. @throws `not_found`; `forbidden` for the workspace itself */
  put(
    owner: OwnerKey,
    path: WorkspacePath,
    options: Pick<TrashEntry, 'by'> & { readonly reason?: string },
  ): Promise<Pick<TrashEntry, 'id' | 'kind'>>;
  /** Newest first; what is over 30 days old goes. */
  list(owner: OwnerKey): Promise<readonly TrashItem[]>;
  /** Where it is now: `name (restored).ext` when its own path is taken. @throws `not_found`; `conflict` */
  restore(owner: OwnerKey, id: string): Promise<string>;
  /** For good. @throws `not_found` */
  remove(owner: OwnerKey, id: string): Promise<void>;
  /** All of it, for good. */
  empty(owner: OwnerKey): Promise<void>;
}

/** Chats keep themselves; the trash shows them beside files, as `chat:<id>`. */
export interface TrashedChats {
  listTrashed(
    owner: OwnerKey,
  ): Promise<readonly { readonly id: string; readonly title: string; readonly deletedAtMs: number }[]>;
  restore(owner: OwnerKey, chatId: string): Promise<boolean>;
  purge(owner: OwnerKey, options: { readonly chatId?: string; readonly beforeMs: number }): Promise<number>;
}
