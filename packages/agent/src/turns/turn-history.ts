import type { TurnMessage } from '@berth/agent-core';
import type { ChatStore, OwnerKey } from '@berth/agent-store';
import type { ChatMessage } from '@berth/contract/agent';

/** The conversation of a stored chat: what the server has is the truth, whatever the client sent. */
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

/** The conversation as a client without a stored chat tells it. What parts it claims an assistant sent is not believed. */
export function claimedHistory(messages: readonly ChatMessage[]): TurnMessage[] {
  return messages.map(({ role, content, attachments }) => ({ role, content, ...(attachments ? { attachments } : {}) }));
}
