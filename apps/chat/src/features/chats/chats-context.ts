import { createRequiredContext } from '@berth/ui';
import type { ChatList } from './chat-list.ts';

/** The chat list and the navigation between chats. */
export interface Chats {
  readonly list: ChatList;
  /** Opens a chat, or a new one when `chatId` is undefined, and updates the page's address. */
  go(chatId: string | undefined): Promise<void>;
}

/** The context and hook of the person's chats. */
export const [ChatsContext, useChats] = createRequiredContext<Chats>('ChatsContext');
