import type { OwnerKey } from './owner-key.ts';
import type { StoredRun } from './run-store.ts';
import type { NewMessage, StoredMessage } from './stored-message.ts';

/** A chat without its messages. */
export interface StoredChat {
  readonly id: string;
  readonly title: string;
  readonly createdAtMs: number;
  /** Changes with messages of the user only. */
  readonly updatedAtMs: number;
  readonly favoritedAtMs?: number;
  /** Cost of its turns, in millionths of a US dollar. */
  readonly costMicroUsd: number;
  /** Custom fields of the agent's owner and of the page. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** Counts removals of messages, from 1. A reader of the newest messages starts over when it changes. */
  readonly generation: number;
  /** Its last run; `statusOf` derives the status to show. */
  readonly run?: Pick<StoredRun, 'id' | 'status' | 'startedAtMs' | 'heartbeatAtMs'>;
  /** In the result of a search: the newest message that matches. Absent when only the title does. */
  readonly match?: ChatMatch;
}

/** A message that a search found. */
export interface ChatMatch {
  readonly seq: number;
  readonly role: 'user' | 'assistant';
  /** The text around the first match, in pieces. */
  readonly excerpt: readonly { readonly text: string; readonly isMatch: boolean }[];
}

/** The versions of a message of the user: its own number and those of the ones that it replaced, or that replaced it. */
export interface MessageVersions {
  /** The version that the chat shows. */
  readonly seq: number;
  /** All versions, the earliest first. */
  readonly versions: readonly number[];
}

/** A page of the chat list. */
export interface ListChats {
  readonly limit: number;
  /** Cursor: continues after this chat. The order is (updatedAt, id), newest first. */
  readonly after?: { readonly updatedAtMs: number; readonly id: string };
  /**
   * Selects chats whose title contains this text, and those with a message that contains all of its words of two characters or
   * more. Case, accents and Arabic vowel signs don't count.
   */
  readonly query?: string;
}

/** Changes to a chat; undefined keeps a field, null removes it. */
export interface ChatPatch {
  readonly title?: string | null;
  readonly favoritedAtMs?: number | null;
  readonly meta?: Readonly<Record<string, unknown>>;
}

/**
 * Chats and their messages. A chat of another owner, or in the trash, counts as absent; writing to a chat in the trash
 * throws `conflict`.
 */
export interface ChatStore {
  list(owner: OwnerKey, options: ListChats): Promise<readonly StoredChat[]>;
  find(owner: OwnerKey, chatId: string): Promise<StoredChat | undefined>;
  /** Changes a chat, creating it when there is none. Keys of `meta` are merged, null removes one. `updatedAt` stays. */
  patch(owner: OwnerKey, chatId: string, patch: ChatPatch, nowMs: number): Promise<StoredChat>;
  /**
   * Takes the task of writing the chat's title, once for all instances; false when its title isn't the beginning of its first
   * message, or someone has taken the task already.
   */
  claimTitle(owner: OwnerKey, chatId: string): Promise<boolean>;
  /**
   * Ends a claim: stores the title, unless a person has given one meanwhile, and adds what it cost. Without a title the chat keeps
   * its own.
   */
  writeTitle(
    owner: OwnerKey,
    chatId: string,
    written: { readonly title?: string | undefined; readonly costMicroUsd: number },
  ): Promise<void>;
  /** Returns messages, oldest first: with `afterSeq` only newer ones, with `limit` only the newest ones. */
  messages(
    owner: OwnerKey,
    chatId: string,
    options?: { readonly afterSeq?: number; readonly limit?: number },
  ): Promise<readonly StoredMessage[]>;
  /** Adds messages to an existing or new chat, e.g. for a fork, in one transaction. `updatedAt` becomes `nowMs`. */
  append(owner: OwnerKey, chatId: string, messages: readonly NewMessage[], nowMs: number): Promise<void>;
  /** Creates a chat with messages in one transaction. False when the id is taken, even in the trash. */
  create(
    owner: OwnerKey,
    chat: { readonly id: string; readonly title: string; readonly meta?: Readonly<Record<string, unknown>> },
    messages: readonly NewMessage[],
    nowMs: number,
  ): Promise<boolean>;
  /**
   * Removes the messages from `fromSeq` on, unless a run is live or the newest message is no longer `lastSeq`.
   * @returns `done`, or the reason why nothing was removed.
   */
  truncate(
    owner: OwnerKey,
    chatId: string,
    options: { readonly fromSeq: number; readonly lastSeq: number; readonly nowMs: number },
  ): Promise<'done' | 'missing' | 'running' | 'changed'>;
  /** Returns the messages of the chat that have several versions. */
  versions(owner: OwnerKey, chatId: string): Promise<readonly MessageVersions[]>;
  /**
   * Shows another version of a message, with what followed it, in place of the one shown now, which is kept.
   * @returns `done`; `missing` when the chat has no such version at a place that it shows; `running` while a run is live.
   */
  showVersion(owner: OwnerKey, chatId: string, seq: number): Promise<'done' | 'missing' | 'running'>;
  /** Moves the chat to the trash, for {@link restore} or {@link purge}; false when there is none. */
  trash(owner: OwnerKey, chatId: string, nowMs: number): Promise<boolean>;
  /** Restores the chat from the trash; false when it isn't there. */
  restore(owner: OwnerKey, chatId: string): Promise<boolean>;
  listTrashed(
    owner: OwnerKey,
  ): Promise<readonly { readonly id: string; readonly title: string; readonly deletedAtMs: number }[]>;
  /** Permanently deletes chats trashed before `beforeMs` (one, or all of the owner's); returns their number. */
  purge(owner: OwnerKey, options: { readonly chatId?: string; readonly beforeMs: number }): Promise<number>;
}
