import type { Item } from './items.ts';

/** A chat that exists in this tab only, because the agent stores no chats. */
export interface KeptChat {
  readonly id: string;
  readonly items: readonly Item[];
  readonly isRunning: boolean;
}

/** The tab's storage of the chat of an agent that stores none. */
export interface KeptChats {
  read(): KeptChat | undefined;
  /** Replaces the stored chat; undefined deletes it. A chat that does not fit into the storage is not kept. */
  write(chat: KeptChat | undefined): void;
}

const KEY = 'berth-chat';

/** Stores the chat in `storage`, the tab's session storage. An unreadable entry counts as none. */
export function createKeptChats(storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>): KeptChats {
  return {
    read() {
      try {
        return (JSON.parse(storage.getItem(KEY) ?? 'null') as KeptChat | null) ?? undefined;
      } catch {
        return undefined;
      }
    },
    write(chat) {
      storage.removeItem(KEY);
      if (chat === undefined) return;
      try {
        storage.setItem(KEY, JSON.stringify(chat));
      } catch {
        // The storage is full.
      }
    },
  };
}
