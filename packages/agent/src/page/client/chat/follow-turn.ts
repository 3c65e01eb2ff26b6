import { type ComponentFrame, mergeFrame, type Part, type UiFrame } from '@berth/contract/agent';
import { type Api, ApiError } from '../api.ts';
import { readFrames } from '../read-frames.ts';

/** What is told of a turn while it runs. */
export interface TurnListener {
  /** The id of the chat, which the server may have given. */
  onChat(chatId: string): void;
  onParts(parts: readonly Part[]): void;
  onUi(frame: UiFrame): void;
  /** The connection was lost, and is being made again. */
  onLost(): void;
}

/** How the following of a turn ended. */
export type TurnEnd =
  | 'done'
  /** The turn's frames are not to be had any more: what became of it is in the chat. */
  | 'gone'
  /** The connection did not come back. */
  | 'lost';

/** Waits before each try to connect again; then it is given up. */
const RETRY_MS = [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000];

const NOT_PARTS: readonly string[] = ['chat_id', 'ping', 'ui'];

/**
 * Follows a turn to its end, from `response` if there is one, else from the beginning of the chat's last turn; over
 * connections that are lost, without a frame missed or seen twice. Throws what the signal aborts with.
 */
export async function followTurn(
  api: Api,
  { chatId, response, signal }: { chatId: string; response?: Response; signal: AbortSignal },
  listener: TurnListener,
): Promise<TurnEnd> {
  let id = chatId;
  let current = response;
  let cursor: string | undefined;
  let parts: readonly Part[] = [];
  for (let failures = 0; ; ) {
    try {
      current ??= await api.send(`/chats/${encodeURIComponent(id)}/stream${cursor ? `?after=${cursor}` : ''}`, {
        signal,
      });
      if (current.status === 204 || current.body === null) return 'gone';
      const frames = readFrames(current.body);
      for (;;) {
        const { done, value } = await frames.next();
        if (done) {
          if (value) return 'done';
          break;
        }
        failures = 0;
        // Another run than the one that was followed: its frames start over.
        if (value.id !== undefined && runOf(cursor) !== undefined && runOf(value.id) !== runOf(cursor)) parts = [];
        cursor = value.id ?? cursor;
        const { frame } = value;
        if (frame.type === 'chat_id') {
          id = frame.chat_id;
          listener.onChat(id);
        } else if (frame.type === 'ui') listener.onUi(frame);
        else if (!NOT_PARTS.includes(frame.type)) {
          parts = mergeFrame(parts, frame as ComponentFrame);
          listener.onParts(parts);
        }
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ApiError && error.status === 404) return 'gone';
      if (error instanceof ApiError && error.status < 500 && error.status !== 429) throw error;
    }
    signal.throwIfAborted();
    current = undefined;
    listener.onLost();
    const wait = RETRY_MS[failures++];
    if (wait === undefined) return 'lost';
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

function runOf(cursor: string | undefined): string | undefined {
  return cursor?.slice(0, cursor.lastIndexOf(':'));
}
