import { createRequiredContext } from '@berth/ui';
import type { ChatList } from './chat-list.ts';

/** The person's chats. */
export interface Chats {
  readonly list: ChatList;
  /** Opens a chat, or a new one where `chatId` is undefined, and puts it into the address. */
  go(chatId: string | undefined): Promise<void>;
}

/** The person's chats, and the way from one to another. */
export const [ChatsContext, useChats] = createRequiredContext<Chats>('ChatsContext');
