import { type ChatStore, type OwnerKey, type StoredChat, type StoredMessage, statusOf } from '@berth/agent-store';
import { createValidationError } from '@berth/contract';
import type { Chat } from '@berth/contract/agent';
import type { RunEngine } from '../runs/create-run-engine.ts';
import { toChatSummary } from './chat-views.ts';
import { isHidden, readBack, runsOn } from './read-back.ts';

export interface ReadChatDeps {
  readonly chats: ChatStore;
  readonly runs: Pick<RunEngine, 'reconcile'>;
}

/**
 * Returns a chat with its messages, or with those after `since`. When the reader's copy can't be appended to (messages were removed,
 * or its last one continues), it returns all messages with `reset`. Undefined when there is no such chat.
 */
export async function readChat(
  { chats, runs }: ReadChatDeps,
  owner: OwnerKey,
  chatId: string,
  { since, nowMs }: { readonly since?: MessagePlace | undefined; readonly nowMs: number },
): Promise<Chat | undefined> {
  let chat = await chats.find(owner, chatId);
  if (chat?.run?.status === 'running' && statusOf(chat.run, nowMs) === 'interrupted') {
    // The run's process is gone: settling it adds the partial answer to the messages first.
    await runs.reconcile(owner, chatId);
    chat = await chats.find(owner, chatId);
  }
  if (!chat) return undefined;
  const fresh = since && (await messagesAfter(chats, owner, chat, since));
  const shown = fresh ?? (await shownMessages(chats, owner, chatId));
  const summary = toChatSummary(chat, nowMs);
  return {
    ...summary,
    meta: { ...chat.meta },
    messages: readBack(shown),
    next: formatMessageCursor({
      generation: chat.generation,
      seq: shown.at(-1)?.seq ?? (fresh && since ? since.seq : 0),
    }),
    open: summary.run?.status === 'running',
    ...(since && !fresh ? { reset: true as const } : {}),
  };
}

/** Returns the messages after `since`; undefined when the reader's copy can't be appended to. */
async function messagesAfter(
  chats: ChatStore,
  owner: OwnerKey,
  chat: StoredChat,
  since: MessagePlace,
): Promise<readonly StoredMessage[] | undefined> {
  if (since.generation !== chat.generation) return undefined;
  if (since.seq === 0) return await shownMessages(chats, owner, chat.id);
  // The message before is read too, to see whether the first new one continues it.
  const [before, ...fresh] = await shownMessages(chats, owner, chat.id, since.seq - 1);
  return before?.seq === since.seq && !runsOn(before, fresh[0]) ? fresh : undefined;
}

async function shownMessages(
  chats: ChatStore,
  owner: OwnerKey,
  chatId: string,
  afterSeq = 0,
): Promise<StoredMessage[]> {
  const messages = await chats.messages(owner, chatId, { afterSeq });
  return messages.filter((message) => !isHidden(message));
}

/** A position in a chat's messages: after `seq`, valid for this generation of the chat. */
interface MessagePlace {
  readonly generation: number;
  readonly seq: number;
}

export function formatMessageCursor({ generation, seq }: MessagePlace): string {
  return `${generation}.${seq}`;
}

/** Parses a cursor of {@link formatMessageCursor}. @throws `invalid` for any other text. */
export function parseMessageCursor(text: string): MessagePlace {
  const match = /^(\d{1,15})\.(\d{1,15})$/.exec(text);
  if (match) return { generation: Number(match[1]), seq: Number(match[2]) };
  throw createValidationError([
    { loc: ['query', 'since'], msg: 'not what a chat gave as next', type: 'invalid_cursor' },
  ]);
}
