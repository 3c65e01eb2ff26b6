/** What a person has typed and not sent, of each chat. It outlives a reload and the way to the provider's sign-in. */
export interface Drafts {
  read(chatId: string | undefined): string;
  /** An empty text forgets it. */
  write(chatId: string | undefined, text: string): void;
}

const PREFIX = 'berth-draft:';

/** Keeps drafts in `storage`, which is the tab's. A storage that is full or forbidden keeps none. */
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
