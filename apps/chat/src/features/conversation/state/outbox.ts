import type { QuestionItem } from './items.ts';

/** A message that the person sent, and that is not known to have got to the agent. */
export interface Unsent {
  readonly question: QuestionItem;
  /** Messages of the person's that the chat had before it. */
  readonly before: number;
}

/** Keeps the message that is on its way, of each chat: it outlives a reload and the way to the provider's sign-in. */
export interface Outbox {
  /** Of a chat that the agent does not have yet: undefined for its id. */
  read(chatId: string | undefined): Unsent | undefined;
  /** Undefined for what is known to be there. */
  write(chatId: string | undefined, unsent: Unsent | undefined): void;
}

const PREFIX = 'berth-unsent:';

export function createOutbox(storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>): Outbox {
  const keyOf = (chatId: string | undefined) => PREFIX + (chatId ?? '');
  return {
    read(chatId) {
      const text = storage.getItem(keyOf(chatId));
      return text === null ? undefined : (JSON.parse(text) as Unsent);
    },
    write(chatId, unsent) {
      storage.removeItem(keyOf(chatId));
      if (unsent === undefined) return;
      try {
        storage.setItem(keyOf(chatId), JSON.stringify(unsent));
      } catch {
        // The storage is full: while the page is open the message is on it.
      }
    },
  };
}
