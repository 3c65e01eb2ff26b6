import {
  type ApprovalStore,
  type ChatStore,
  type FeedbackStore,
  type OwnerKey,
  type StoredChat,
  type StoredMessage,
  statusOf,
} from '@berth/agent-store';
import type { Chat } from '@berth/contract/agent';
import type { RunEngine } from '../runs/create-run-engine.ts';
import { toChatRecord } from './chat-views.ts';
import { isHidden, type OpenApprovals, readBack, runsOn } from './read-back.ts';

export interface ReadChatDeps {
  readonly chats: ChatStore;
  readonly approvals: Pick<ApprovalStore, 'listWaiting' | 'listDecided'>;
  readonly feedback: Pick<FeedbackStore, 'listOf'>;
  readonly runs: Pick<RunEngine, 'reconcile'>;
}

/**
 * Returns a chat with its messages, or with those after `since`. When messages of the reader's copy were removed, it returns all
 * messages with `reset`. Undefined when there is no such chat.
 */
export async function readChat(
  { chats, approvals, feedback, runs }: ReadChatDeps,
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
  const shown = fresh?.messages ?? (await shownMessages(chats, owner, chatId));
  const messages = readBack(shown, await openApprovals(approvals, owner, chatId, nowMs));
  return {
    ...toChatRecord(chat, nowMs),
    messages: await withFacts({ chats, feedback }, owner, chatId, messages),
    next: formatMessageCursor({
      generation: chat.generation,
      seq: shown.at(-1)?.seq ?? (fresh && since ? since.seq : 0),
    }),
    open: fresh?.open ?? null,
    ...(since && !fresh ? { reset: true as const } : {}),
  };
}

/** Returns the messages with their versions and the person's feedback. */
async function withFacts(
  { chats, feedback }: Pick<ReadChatDeps, 'chats' | 'feedback'>,
  owner: OwnerKey,
  chatId: string,
  messages: Chat['messages'],
): Promise<Chat['messages']> {
  const [versions, opinions] = await Promise.all([chats.versions(owner, chatId), feedback.listOf(owner, chatId)]);
  if (versions.length + opinions.length === 0) return messages;
  return messages.map((message) => {
    const version = versions.find(({ seq }) => seq === message.seq);
    const opinion = message.role === 'assistant' && opinions.find(({ seq }) => seq === message.seq);
    return {
      ...message,
      ...(version && { versions: [...version.versions] }),
      ...(opinion && { feedback: { rating: opinion.rating ?? null, note: opinion.note } }),
    };
  });
}

async function openApprovals(
  approvals: ReadChatDeps['approvals'],
  owner: OwnerKey,
  chatId: string,
  nowMs: number,
): Promise<OpenApprovals> {
  const [waiting, decided] = await Promise.all([
    approvals.listWaiting(owner, chatId, nowMs),
    approvals.listDecided(owner, chatId, nowMs),
  ]);
  return { waiting: new Set(waiting.map(({ key }) => key)), decided: new Set(decided.map(({ key }) => key)) };
}

/** Messages after those that the reader has, and the role of the reader's last message if the first of them continues it. */
interface FreshMessages {
  readonly messages: readonly StoredMessage[];
  readonly open: 'assistant' | null;
}

/** Returns the messages after `since`; undefined when the reader's copy can't be appended to. */
async function messagesAfter(
  chats: ChatStore,
  owner: OwnerKey,
  chat: StoredChat,
  since: MessagePlace,
): Promise<FreshMessages | undefined> {
  if (since.seq === 0) return { messages: await shownMessages(chats, owner, chat.id), open: null };
  if (since.generation !== chat.generation) return undefined;
  // The message before is read too, to see whether the first new one continues it.
  const [before, ...messages] = await shownMessages(chats, owner, chat.id, since.seq - 1);
  if (before?.seq !== since.seq) return undefined;
  return { messages, open: runsOn(before, messages[0]) ? 'assistant' : null };
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

/** A cursor is `(generation - 1) * PLACES + seq`: in a chat from which nothing was removed, the number of the last message. */
const PLACES = 1_000_000_000;

export function formatMessageCursor({ generation, seq }: MessagePlace): number {
  return (generation - 1) * PLACES + seq;
}

/** Returns the position of a cursor of {@link formatMessageCursor}. */
export function toMessagePlace(cursor: number): MessagePlace {
  return { generation: Math.floor(cursor / PLACES) + 1, seq: cursor % PLACES };
}
