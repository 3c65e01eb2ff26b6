import type { Frame } from '@berth/contract/agent';
import { createError } from '@berth/contract/errors';
import { startsOver } from '@berth/contract/frame-id';
import { BerthError, type Clock } from '@berth/kit';
import { createPatience, type WaitOptions } from '../streams/patience.ts';
import { type ByteStream, readChunks } from '../streams/read-chunks.ts';
import { readServerSentEvents } from '../streams/read-server-sent-events.ts';

/** Three of the 15 s pings missed in a row. */
const SILENCE_MS = 45_000;
/** Result after the last frame. */
const END = '[DONE]';

/** Where the frames of a turn come from. */
export interface TurnSource {
  readonly baseUrl: string;
  readonly clock: Clock;
  begin(): Promise<ByteStream>;
  /** The stream after a frame's id; from the first frame for an empty one. */
  goOn(after: string): Promise<ByteStream>;
}

/** Callbacks for the reader of a turn. */
export interface TurnOptions extends WaitOptions {
  /**
   * Called when the frames start over: the agent's process ended, and with it frames that no one else has. The next frame is the
   * first one of the answer again; drop what came before.
   */
  readonly onStartOver?: (() => void) | undefined;
}

/**
 * The frames of a turn but for pings, each once and in order, through broken connections and restarts of the agent.
 * @throws what `begin` throws; `unavailable` when the stream breaks and there is nothing left to take up; the signal's reason.
 */
export async function* readTurn(source: TurnSource, options: TurnOptions): AsyncGenerator<Frame> {
  const { clock } = source;
  const { signal } = options;
  const patience = createPatience(source, options);
  let after = '';
  for (let stream = await source.begin(); ; ) {
    try {
      for await (const event of readServerSentEvents(readChunks(stream, { clock, idleMs: SILENCE_MS, signal }))) {
        if (event.data === END) return;
        patience.reset();
        const frame = readFrame(event.data);
        // A ping has no id: its event repeats the id of the previous one, or has none on a new connection.
        if (frame.type === 'ping') continue;
        if (startsOver(after, event.id)) options.onStartOver?.();
        after = event.id;
        yield frame;
      }
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (BerthError.is(error)) throw error;
    }
    await patience.pause();
    stream = await patience
      .until(() => source.goOn(after))
      .catch((error: unknown) => {
        if (!BerthError.is(error, 'not_found')) throw error;
        throw createError(
          'unavailable',
          'The connection was lost, and the run has finished. Open the chat to see its answer.',
          { cause: error },
        );
      });
  }
}

function readFrame(json: string): Frame {
  try {
    return JSON.parse(json) as Frame;
  } catch (error) {
    throw createError('internal', 'The agent sent a frame that is not JSON.', { cause: error });
  }
}
