import type { ChatMessage } from '@berth/contract/agent';
import { type Api, ApiError } from '../../../api/api.ts';

/** Waits while a turn of the chat ends; then somebody else's runs. */
const BUSY_MS = [300, 700, 1_500, 3_000];

export interface BeginTurnOptions {
  readonly api: Api;
  readonly chatId: string;
  readonly messages: readonly Pick<ChatMessage, 'role' | 'content' | 'attachments'>[];
  readonly signal: AbortSignal;
  readonly wait: (delayMs: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Sends a message; answers the stream of its turn.
 * @throws {ApiError} 409 while the chat has another turn
 */
export async function beginTurn({ api, chatId, messages, signal, wait }: BeginTurnOptions): Promise<Response> {
  for (let tries = 0; ; tries++) {
    try {
      return await api.send(`/chat?id=${encodeURIComponent(chatId)}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        // The answer goes on when the page is closed or its connection is lost.
        body: JSON.stringify({ messages, detach: true }),
        signal,
      });
    } catch (error) {
      const delayMs = BUSY_MS[tries];
      if (!(error instanceof ApiError) || error.status !== 409 || delayMs === undefined) throw error;
      await wait(delayMs, signal);
    }
  }
}
