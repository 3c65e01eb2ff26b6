/** The unsent text of each chat, kept across reloads and sign-in redirects. */
export interface Drafts {
  read(chatId: string | undefined): string;
  /** Stores a draft; an empty text deletes it. */
  write(chatId: string | undefined, text: string): void;
}

const PREFIX = 'berth-draft:';

/** Keeps drafts in `storage`, the tab's session storage. When the storage is full, the draft is not kept. */
export function createDrafts(storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>): Drafts {
  const keyOf = (chatId: string | undefined) => PREFIX + (chatId ?? '');
  return {
    read: (chatId) => storage.getItem(keyOf(chatId)) ?? '',
    write(chatId, text) {
      if (text === '') return storage.removeItem(keyOf(chatId));
      try {
        storage.setItem(keyOf(chatId), text);
      } catch {
        // The storage is full: the text is still in the field.
      }
    },
  };
}
