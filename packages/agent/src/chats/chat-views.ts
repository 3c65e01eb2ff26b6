import { type StoredChat, statusOf } from '@berth/agent-store';
import type { ChatSummary, RunView } from '@berth/contract/agent';

/** Returns a chat as the list shows it. */
export function toChatSummary(chat: StoredChat, nowMs: number): ChatSummary {
  return {
    id: chat.id,
    title: chat.title,
    createdAt: toIso(chat.createdAtMs),
    updatedAt: toIso(chat.updatedAtMs),
    favoritedAt: chat.favoritedAtMs === undefined ? null : toIso(chat.favoritedAtMs),
    cost: toUsd(chat.costMicroUsd),
    run: toRunView(chat, nowMs),
  };
}

/** USD with six decimals. */
export function toUsd(microUsd: number): string {
  return (microUsd / 1_000_000).toFixed(6);
}

function toRunView({ run }: StoredChat, nowMs: number): RunView | null {
  return run ? { id: run.id, status: statusOf(run, nowMs), startedAt: toIso(run.startedAtMs) } : null;
}

function toIso(ms: number): string {
  return new Date(ms).toISOString();
}
