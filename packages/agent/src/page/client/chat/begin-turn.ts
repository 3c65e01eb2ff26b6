import type { ChatMessage } from '@berth/contract/agent';
import { type Api, ApiError } from '../api.ts';

/** Waits while a turn of the chat ends; then somebody else's runs. */
const BUSY_MS = [300, 700, 1_500, 3_000];

/**
 * Sends a message; answers the stream of its turn.
 * @throws {ApiError} 409 while the chat has another turn
 */
export async function beginTurn(
  api: Api,
  chatId: string | undefined,
  messages: readonly Pick<ChatMessage, 'role' | 'content' | 'attachments'>[],
): Promise<Response> {
  for (let tries = 0; ; tries++) {
    try {
      return await api.send(chatId === undefined ? '/chat' : `/chat?id=${encodeURIComponent(chatId)}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        // The answer goes on when the page is closed or its connection is lost.
        body: JSON.stringify({ messages, detach: true }),
      });
    } catch (error) {
      const waitMs = BUSY_MS[tries];
      if (!(error instanceof ApiError) || error.status !== 409 || waitMs === undefined) throw error;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}
