import type { Item } from './items.ts';

/** A chat that only this tab has: of an agent that keeps none. */
export interface KeptChat {
  readonly id: string;
  readonly items: readonly Item[];
  readonly isRunning: boolean;
}

/** Where a tab keeps the chat of an agent that keeps none. */
export interface KeptChats {
  read(): KeptChat | undefined;
  /** Undefined forgets it. What is too large for the storage is not kept. */
  write(chat: KeptChat | undefined): void;
}

const KEY = 'berth-chat';

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
