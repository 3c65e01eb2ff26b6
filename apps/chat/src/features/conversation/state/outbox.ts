import type { QuestionItem } from './items.ts';

/** A message that the person sent and that is not known to have reached the agent. */
export interface Unsent {
  readonly question: QuestionItem;
  /** Number of the person's messages that precede it in the chat. */
  readonly before: number;
}

/** Keeps the unsent message of each chat, across reloads and sign-in redirects. */
export interface Outbox {
  /** @param chatId undefined for a chat that the agent does not have yet */
  read(chatId: string | undefined): Unsent | undefined;
  /** @param unsent undefined once the message is known to have arrived */
  write(chatId: string | undefined, unsent: Unsent | undefined): void;
}

const PREFIX = 'berth-unsent:';

/** Keeps unsent messages in `storage`, the tab's session storage. */
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
        // The storage is full: the message stays on the page until it closes.
      }
    },
  };
}
