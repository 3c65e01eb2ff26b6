import { type ChatMatch, type StoredChat, statusOf } from '@berth/agent-store';
import type { ChatRecord, ChatSummary } from '@berth/contract/agent';

/** The key of `meta` under which a copy stores the id of its original. Clients can't set it. */
export const FORKED_FROM = 'forked_from';

/** Returns a chat as the list shows it. */
export function toChatSummary(chat: StoredChat, nowMs: number): ChatSummary {
  const forkedFrom = chat.meta[FORKED_FROM];
  return {
    id: chat.id,
    title: chat.title,
    createdAt: toIso(chat.createdAtMs),
    updatedAt: toIso(chat.updatedAtMs),
    favoritedAt: chat.favoritedAtMs === undefined ? null : toIso(chat.favoritedAtMs),
    cost: toUsd(chat.costMicroUsd),
    run: chat.run ? statusOf(chat.run, nowMs) : null,
    ...(chat.run && { run_id: chat.run.id }),
    ...(typeof forkedFrom === 'string' && { forked_from: forkedFrom }),
    ...(chat.match && { match: toMatch(chat.match) }),
  };
}

function toMatch({ seq, role, excerpt }: ChatMatch): NonNullable<ChatSummary['match']> {
  return { seq, role, excerpt: excerpt.map(({ text, isMatch }) => ({ text, is_match: isMatch })) };
}

/** Returns a chat without its messages, with the metadata that its owner set. */
export function toChatRecord(chat: StoredChat, nowMs: number): ChatRecord {
  const { [FORKED_FROM]: _, ...meta } = chat.meta;
  return { ...toChatSummary(chat, nowMs), meta };
}

/** USD with six decimals. */
export function toUsd(microUsd: number): string {
  return (microUsd / 1_000_000).toFixed(6);
}

function toIso(ms: number): string {
  return new Date(ms).toISOString();
}
