import type { ChatMessage, UiFrame } from '@berth/contract/agent';

/** A chat that only this tab has: of an agent that keeps none. */
export interface KeptChat {
  readonly id: string | undefined;
  readonly messages: readonly Pick<ChatMessage, 'role' | 'content' | 'parts'>[];
  readonly isRunning: boolean;
  /** Questions that wait for the person's decision. */
  readonly undecided: readonly UiFrame[];
}

const KEY = 'berth-chat';

export function readKeptChat(): KeptChat | undefined {
  try {
    return (JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as KeptChat | null) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps it over a reload; undefined forgets it. What is too large for the tab's storage is not kept. */
export function keepChat(chat: KeptChat | undefined): void {
  sessionStorage.removeItem(KEY);
  if (chat === undefined) return;
  try {
    sessionStorage.setItem(KEY, JSON.stringify(chat));
  } catch {
    // The storage is full.
  }
}
