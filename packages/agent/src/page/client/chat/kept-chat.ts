import type { ChatMessage, UiFrame } from '@berth/contract/agent';

/** A chat that only this tab has: of an agent that keeps none. */
export interface KeptChat {
  readonly id: string | undefined;
  readonly messages: readonly Pick<ChatMessage, 'role' | 'content' | 'parts'>[];
  readonly isRunning: boolean;
}

const KEY = 'berth-chat';

export function readKeptChat(): KeptChat | undefined {
  return read(KEY) as KeptChat | undefined;
}

/** Keeps it over a reload; undefined forgets it. */
export function keepChat(chat: KeptChat | undefined): void {
  write(KEY, chat);
}

const CONFIRMS = 'berth-confirms:';

/** Questions of a chat that wait for the person: they are no part of its messages, and are asked again after a reload. */
export function readConfirms(chatId: string): readonly UiFrame[] {
  return (read(CONFIRMS + chatId) as UiFrame[] | undefined) ?? [];
}

export function keepConfirms(chatId: string, frames: readonly UiFrame[]): void {
  write(CONFIRMS + chatId, frames.length === 0 ? undefined : frames);
}

function read(key: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

/** Undefined forgets it. What is too large for the tab's storage is not kept. */
function write(key: string, value: unknown): void {
  sessionStorage.removeItem(key);
  if (value === undefined) return;
  try {
    sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // The tab's storage is full.
  }
}
