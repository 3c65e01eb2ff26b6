import type { TurnMessage } from '@berth/agent-core';
import type { ChatStore, OwnerKey } from '@berth/agent-store';
import type { ChatMessage } from '@berth/contract/agent';

/** Returns the conversation of a stored chat. The server's copy counts, whatever the client sent. */
export async function storedHistory(chats: ChatStore, owner: OwnerKey, chatId: string): Promise<TurnMessage[]> {
  const messages = await chats.messages(owner, chatId);
  return messages.map(({ role, content, parts, attachments, status, isInternal }) => ({
    role,
    content,
    ...(parts ? { parts } : {}),
    ...(attachments ? { attachments } : {}),
    ...(status ? { status } : {}),
    ...(isInternal ? { isInternal } : {}),
  }));
}

/** Returns the conversation that a client sent for a chat that is not stored. Its claims about an assistant's parts are dropped. */
export function claimedHistory(messages: readonly ChatMessage[]): TurnMessage[] {
  return messages.map(({ role, content, attachments }) => ({ role, content, ...(attachments ? { attachments } : {}) }));
}
