import type { ChatMessage } from '@berth/contract/agent';
import { type Api, ApiError } from '../../../api/api.ts';

/** Delays between retries on 409, while an earlier turn of the chat ends. After the last, another client's turn is running. */
const BUSY_MS = [300, 700, 1_500, 3_000];

/** Delays between retries; the last one repeats. */
const RETRY_MS = [250, 500, 1_000, 2_000, 4_000];

/** Maximum number of tries while the agent is reachable. */
const MAX_TRIES = 4;

/** Statuses that a gateway returns while the agent is unavailable. */
const AWAY: readonly number[] = [502, 503, 504];

/** Options of {@link postQuestion}. */
export interface PostQuestionOptions {
  readonly api: Api;
  readonly chatId: string;
  readonly messages: readonly Pick<ChatMessage, 'role' | 'content' | 'attachments'>[];
  /** The message of the stored chat that this one becomes a new version of. */
  readonly replaces?: number | undefined;
  readonly signal: AbortSignal;
  readonly wait: (delayMs: number, signal: AbortSignal) => Promise<void>;
  /** Returns true when the chat contains the message, undefined when the agent is unreachable. */
  hasArrived(): Promise<boolean | undefined>;
  /** Called when the agent is unreachable and the message waits for a connection. */
  onWaiting(): void;
}

/**
 * Sends a message exactly once. While the agent is unreachable it waits; after a broken connection it first checks whether
 * the message has arrived. Returns the response that streams the turn, or undefined when the message had already arrived.
 * @throws {ApiError} when the agent rejects the message; TypeError when sending keeps failing although the agent is
 * reachable; the signal's reason when it aborts
 */
export async function postQuestion(options: PostQuestionOptions): Promise<Response | undefined> {
  const { signal, wait, hasArrived, onWaiting } = options;
  /** Number of tries that failed although the agent is reachable. */
  let failures = 0;
  for (let tries = 0; ; tries++) {
    try {
      return await beginTurn(options);
    } catch (error) {
      signal.throwIfAborted();
      // The previous try has arrived: its turn is the one that is running.
      if (tries > 0 && error instanceof ApiError && error.status === 409) return undefined;
      if (error instanceof ApiError && !AWAY.includes(error.status)) throw error;
      const isThere = await hasArrived();
      signal.throwIfAborted();
      if (isThere === true) return undefined;
      if (isThere === false && ++failures >= MAX_TRIES) throw error;
      if (isThere === undefined) onWaiting();
      await wait(RETRY_MS[Math.min(tries, RETRY_MS.length - 1)] as number, signal);
    }
  }
}

/** Sends a message once no earlier turn of the chat is running. @throws {ApiError} 409 when one is, after all retries */
async function beginTurn({ api, chatId, messages, replaces, signal, wait }: PostQuestionOptions): Promise<Response> {
  for (let tries = 0; ; tries++) {
    try {
      return await api.send(`/chat?id=${encodeURIComponent(chatId)}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        // `detach` keeps the turn running when the page closes or loses its connection.
        body: JSON.stringify({ messages, detach: true, replaces }),
        signal,
      });
    } catch (error) {
      const delayMs = BUSY_MS[tries];
      if (!(error instanceof ApiError) || error.status !== 409 || delayMs === undefined) throw error;
      await wait(delayMs, signal);
    }
  }
}
