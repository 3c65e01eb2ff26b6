import type { ChatMessage } from '@berth/contract/agent';
import { type Api, ApiError } from '../../../api/api.ts';

/** Delays between retries on 409, while an earlier turn of the chat ends. After the last, another client's turn is running. */
const BUSY_MS = [300, 700, 1_500, 3_000];

/** Options of {@link beginTurn}. */
export interface BeginTurnOptions {
  readonly api: Api;
  readonly chatId: string;
  readonly messages: readonly Pick<ChatMessage, 'role' | 'content' | 'attachments'>[];
  readonly signal: AbortSignal;
  readonly wait: (delayMs: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Sends a message and returns the response that streams its turn.
 * @throws {ApiError} 409 when another turn of the chat is still running after all retries
 */
export async function beginTurn({ api, chatId, messages, signal, wait }: BeginTurnOptions): Promise<Response> {
  for (let tries = 0; ; tries++) {
    try {
      return await api.send(`/chat?id=${encodeURIComponent(chatId)}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        // `detach` keeps the turn running when the page closes or loses its connection.
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
