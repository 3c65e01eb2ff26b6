import type { OwnerKey } from './owner-key.ts';
import type { StoredRun } from './run-store.ts';
import type { NewMessage, StoredMessage } from './stored-message.ts';

/** A chat without its messages. */
export interface StoredChat {
  readonly id: string;
  readonly title: string;
  readonly createdAtMs: number;
  /** Moves with messages of the person only. */
  readonly updatedAtMs: number;
  readonly favoritedAtMs?: number;
  /** What its turns cost, in millionths of a US dollar. */
  readonly costMicroUsd: number;
  /** Fields of the owner's and the page's own. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** Changes when messages were removed, so that a reader of the newest starts over. From 1. */
  readonly generation: number;
  /** Its last run; see `statusOf` for what its status reads. */
  readonly run?: Pick<StoredRun, 'id' | 'status' | 'startedAtMs' | 'heartbeatAtMs'>;
}

export interface ListChats {
  readonly limit: number;
  /** Continue after this chat, as the order is (updatedAt, id), newest first. */
  readonly after?: { readonly updatedAtMs: number; readonly id: string };
  /** Only with this in the title, whatever the case. */
  readonly query?: string;
}

/** What may be changed of a chat; undefined leaves as it is, null takes away. */
export interface ChatPatch {
  readonly title?: string | null;
  readonly favoritedAtMs?: number | null;
  readonly meta?: Readonly<Record<string, unknown>>;
}

/**
 * Chats and their messages. A chat of another owner, or in the trash, is as if it were not there; writing to one that is in
 * the trash throws `conflict`.
 */
export interface ChatStore {
  list(owner: OwnerKey, options: ListChats): Promise<readonly StoredChat[]>;
  find(owner: OwnerKey, chatId: string): Promise<StoredChat | undefined>;
  /** Makes the chat when there is none; keys of `meta` are merged, null removes one. `updatedAt` stays. */
  patch(owner: OwnerKey, chatId: string, patch: ChatPatch, nowMs: number): Promise<StoredChat>;
  /** Oldest first; with `afterSeq` only newer ones, with `limit` the newest so many. */
  messages(
    owner: OwnerKey,
    chatId: string,
    options?: { readonly afterSeq?: number; readonly limit?: number },
  ): Promise<readonly StoredMessage[]>;
  /** Adds to an existing or new chat, e.g. a fork's copy, in one transaction. `updatedAt` becomes `nowMs`. */
  append(owner: OwnerKey, chatId: string, messages: readonly NewMessage[], nowMs: number): Promise<void>;
  /** Copies in one transaction: makes a chat with these messages. False when the id is taken, trash included. */
  create(
    owner: OwnerKey,
    chat: { readonly id: string; readonly title: string; readonly meta?: Readonly<Record<string, unknown>> },
    messages: readonly NewMessage[],
    nowMs: number,
  ): Promise<boolean>;
  /**
   * Removes the messages from `fromSeq` on, when no run is live and the newest message is still `lastSeq`.
   * @returns what stood in the way otherwise.
   */
  truncate(
    owner: OwnerKey,
    chatId: string,
    options: { readonly fromSeq: number; readonly lastSeq: number; readonly nowMs: number },
  ): Promise<'done' | 'missing' | 'running' | 'changed'>;
  /** Hides the chat, for {@link restore} or {@link purge}; false when there is none. */
  trash(owner: OwnerKey, chatId: string, nowMs: number): Promise<boolean>;
  /** Shows it again; false when it is not in the trash. */
  restore(owner: OwnerKey, chatId: string): Promise<boolean>;
  listTrashed(
    owner: OwnerKey,
  ): Promise<readonly { readonly id: string; readonly title: string; readonly deletedAtMs: number }[]>;
  /** Takes away for good what was trashed before `beforeMs` (a chat, or all of the owner's); returns how many. */
  purge(owner: OwnerKey, options: { readonly chatId?: string; readonly beforeMs: number }): Promise<number>;
}
