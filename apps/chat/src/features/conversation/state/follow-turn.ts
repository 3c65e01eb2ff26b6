import { type ComponentFrame, createPartsBuilder, type Part, type UiFrame } from '@berth/contract/agent';
import { startsOver } from '@berth/contract/frame-id';
import { type Api, ApiError } from '../../../api/api.ts';
import { readFrames } from './read-frames.ts';

/** A listener for the progress of a turn. */
export interface TurnListener {
  /** Called when the answer has grown; `parts` returns a copy of its current parts that never changes. */
  onGrown(parts: () => readonly Part[]): void;
  onUi(frame: UiFrame): void;
  /** Called when the frames start over: what was told before is dropped. */
  onStartOver(): void;
  /** Called with true when the connection is lost, and with false once it is restored. */
  onLost(isLost: boolean): void;
}

/** The outcome of following a turn. */
export type TurnEnd =
  | 'done'
  /** The server no longer has the turn's frames; the stored chat has its result. */
  | 'gone'
  /** The connection could not be restored. */
  | 'lost';

/** Delays before each reconnect; after the last, the turn counts as lost. */
const RETRY_MS = [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000];

const NOT_PARTS: readonly string[] = ['chat_id', 'ping', 'ui'];

/** Options of {@link followTurn}. */
export interface FollowTurnOptions {
  readonly api: Api;
  readonly chatId: string;
  /** The response to the request that started the turn; without it, the chat's last turn is followed from its first frame. */
  readonly response?: Response | undefined;
  /** Parts of the answer that goes on in this turn. */
  readonly before?: readonly Part[];
  readonly signal: AbortSignal;
  readonly wait: (delayMs: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Follows a turn to its end and reconnects when the connection is lost; no frame is missed or handled twice.
 * @throws the signal's reason when it aborts; ApiError for a status that a retry cannot change
 */
export async function followTurn(options: FollowTurnOptions, listener: TurnListener): Promise<TurnEnd> {
  const { api, chatId, before, signal, wait } = options;
  let { response } = options;
  let cursor: string | undefined;
  let builder = createPartsBuilder(before);
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
        if (id !== undefined && cursor !== undefined && startsOver(cursor, id)) {
          builder = createPartsBuilder(before);
          listener.onStartOver();
        }
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

/** Copies the parts: the builder keeps changing its list and the rows of an open table. */
function settled(parts: readonly Part[]): readonly Part[] {
  const last = parts.at(-1);
  return last?.type === 'table' ? [...parts.slice(0, -1), { ...last, rows: [...last.rows] }] : [...parts];
}

function streamPath(chatId: string, cursor: string | undefined): string {
  return `/chats/${encodeURIComponent(chatId)}/stream${cursor ? `?after=${cursor}` : ''}`;
}
