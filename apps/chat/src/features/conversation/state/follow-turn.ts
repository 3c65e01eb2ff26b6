import { type ComponentFrame, createPartsBuilder, type Part, type UiFrame } from '@berth/contract/agent';
import { type Api, ApiError } from '../../../api/api.ts';
import { readFrames } from './read-frames.ts';

/** What is told of a turn while it runs. */
export interface TurnListener {
  /** There is more of the answer; `parts` makes a list of what there is, good for good. */
  onGrown(parts: () => readonly Part[]): void;
  onUi(frame: UiFrame): void;
  /** The connection was lost, and is being made again; or is there again. */
  onLost(isLost: boolean): void;
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

export interface FollowTurnOptions {
  readonly api: Api;
  readonly chatId: string;
  /** Of the request that began the turn; without it the chat's last turn is followed from its first frame. */
  readonly response?: Response | undefined;
  readonly signal: AbortSignal;
  readonly wait: (delayMs: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Follows a turn to its end, over connections that are lost, without a frame missed or seen twice.
 * @throws what the signal aborts with; ApiError for an answer that says no for good
 */
export async function followTurn(options: FollowTurnOptions, listener: TurnListener): Promise<TurnEnd> {
  const { api, chatId, signal, wait } = options;
  let { response } = options;
  let cursor: string | undefined;
  let builder = createPartsBuilder();
  const take = (id: string | undefined, frame: ComponentFrame) => {
    builder.add(frame);
    const { parts } = builder;
    listener.onGrown(() => settled(parts));
    cursor = id ?? cursor;
  };
  for (let failures = 0; ; ) {
    try {
      response ??= await api.send(streamPath(chatId, cursor), { signal });
      if (response.status === 204 || response.body === null) return 'gone';
      const frames = readFrames(response.body);
      for (;;) {
        const { done, value } = await frames.next();
        if (done) {
          if (value) return 'done';
          break;
        }
        if (failures > 0) listener.onLost(false);
        failures = 0;
        const { id, frame } = value;
        // Another run than the one that was followed: its frames start over.
        if (id !== undefined && cursor !== undefined && runOf(id) !== runOf(cursor)) builder = createPartsBuilder();
        if (!NOT_PARTS.includes(frame.type)) {
          take(id, frame as ComponentFrame);
          continue;
        }
        cursor = id ?? cursor;
        if (frame.type === 'ui') listener.onUi(frame);
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ApiError && error.status === 404) return 'gone';
      if (error instanceof ApiError && error.status < 500 && error.status !== 429) throw error;
    }
    signal.throwIfAborted();
    response = undefined;
    listener.onLost(true);
    const delayMs = RETRY_MS[failures++];
    if (delayMs === undefined) return 'lost';
    await wait(delayMs, signal);
  }
}

/** The builder goes on changing its list, and the rows of the table that is open: this copy stays as it is. */
function settled(parts: readonly Part[]): readonly Part[] {
  const last = parts.at(-1);
  return last?.type === 'table' ? [...parts.slice(0, -1), { ...last, rows: [...last.rows] }] : [...parts];
}

function streamPath(chatId: string, cursor: string | undefined): string {
  return `/chats/${encodeURIComponent(chatId)}/stream${cursor ? `?after=${cursor}` : ''}`;
}

function runOf(cursor: string): string {
  return cursor.slice(0, cursor.lastIndexOf(':'));
}
