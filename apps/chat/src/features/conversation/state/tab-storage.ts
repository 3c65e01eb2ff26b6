import type { Attachment } from '@berth/contract/agent';
import type { Item, QuestionItem } from './items.ts';

/** Values that outlive a reload and a sign-in redirect, by chat. */
export interface TabStorage<Value> {
  /** Returns a chat's value; undefined for none and for an unreadable one. A new chat has no ID yet. */
  read(chatId?: string): Value | undefined;
  /** Replaces a chat's value; undefined deletes it. A value that does not fit into the storage is not kept. */
  write(value: Value | undefined, chatId?: string): void;
}

type BrowserStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** A message that the person sent and that is not known to have reached the agent. */
export interface Unsent {
  readonly question: QuestionItem;
  /** Number of the person's messages that precede it in the chat. */
  readonly before: number;
}

/** A message that is sent when the answer is complete. */
export interface QueuedMessage {
  readonly id: string;
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

/** A chat that exists in this tab only, because the agent stores no chats. */
export interface KeptChat {
  readonly id: string;
  readonly items: readonly Item[];
  readonly isRunning: boolean;
}

const PLAIN_TEXT = { parse: (text: string) => text, stringify: (text: string) => text };

/** Keeps the text that the person is writing in each chat. */
export const createDrafts = (storage: BrowserStorage) => createTabStorage<string>(storage, 'berth-draft:', PLAIN_TEXT);

/** Keeps the message of each chat that is being sent. */
export const createOutbox = (storage: BrowserStorage) => createTabStorage<Unsent>(storage, 'berth-unsent:');

/** Keeps the messages of each chat that are sent after the answer. */
export const createQueues = (storage: BrowserStorage) =>
  createTabStorage<readonly QueuedMessage[]>(storage, 'berth-queue:');

/** Keeps the chat of an agent that stores none. */
export const createKeptChats = (storage: BrowserStorage) => createTabStorage<KeptChat>(storage, 'berth-chat');

interface Format<Value> {
  parse(text: string): Value;
  stringify(value: Value): string;
}

function createTabStorage<Value>(
  storage: BrowserStorage,
  prefix: string,
  { parse, stringify }: Format<Value> = JSON,
): TabStorage<Value> {
  return {
    read(chatId = '') {
      const text = storage.getItem(prefix + chatId);
      try {
        return text === null ? undefined : parse(text);
      } catch {
        return undefined;
      }
    },
    write(value, chatId = '') {
      storage.removeItem(prefix + chatId);
      if (value === undefined) return;
      try {
        storage.setItem(prefix + chatId, stringify(value));
      } catch {
        // The storage is full: the value stays on the page until it closes.
      }
    },
  };
}
