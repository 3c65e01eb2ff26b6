import { createRequiredContext } from '@berth/ui';
import type { ChatList } from './chat-list.ts';

/** The chat list and the navigation between chats. */
export interface Chats {
  readonly list: ChatList;
  /**
   * Opens a chat, or a new one when `chatId` is undefined, and updates the page's address.
   * @param at the number of the message to scroll to; the end of the chat by default
   */
  go(chatId: string | undefined, at?: number): Promise<void>;
}

/** The context and hook of the person's chats. */
export const [ChatsContext, useChats] = createRequiredContext<Chats>('ChatsContext');
