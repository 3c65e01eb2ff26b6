import { AGENT_LIMITS, type Frame } from '@berth/contract/agent';
import { eventStream, serverSentEvent } from '@berth/http';
import { type Clock, type Logger, runInBackground } from '@berth/kit';
import type { ReaderEnd, RunReader } from '../runs/run-engine.ts';
import { formatFrameCursor } from './frame-cursor.ts';

/** The last event of every turn. Source: docs/contract/agent-api.md §2, "Frames". */
export const DONE = serverSentEvent('[DONE]');

const PING = serverSentEvent(JSON.stringify({ type: 'ping' } satisfies Frame));

const INTERRUPTED = JSON.stringify({ type: 'status', status: 'interrupted' } satisfies Frame);

/** The ends of a reader whose run goes on. */
const GOES_ON: ReadonlySet<ReaderEnd> = new Set<ReaderEnd>(['too_slow', 'moved', 'left']);

interface FrameStreamOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** The last frame of the run that the client has. */
  readonly afterSeq?: number;
}

/**
 * Returns a response that streams the frames of a run. An interrupted run ends with a numbered status frame that says so. A reader
 * that is too slow, or whose run goes on at another instance, is cut off without [DONE], so that it reconnects.
 */
export function frameStream(reader: RunReader, { clock, logger, afterSeq = 0 }: FrameStreamOptions): Response {
  const event = (seq: number, json: string) =>
    serverSentEvent(json, formatFrameCursor({ runId: reader.runId, attempt: reader.attempt, seq }));
  async function* follow(signal: AbortSignal): AsyncGenerator<string> {
    signal.addEventListener('abort', () => reader.close(), { once: true });
    let lastSeq = afterSeq;
    try {
      for await (const frames of reader) {
        lastSeq = frames.at(-1)?.seq ?? lastSeq;
        yield frames.map(({ seq, json }) => event(seq, json)).join('');
      }
      const end = await reader.ended;
      if (end === 'interrupted') yield event(lastSeq + 1, INTERRUPTED);
      if (!GOES_ON.has(end)) yield DONE;
    } finally {
      reader.close();
    }
  }
  const cutOff = new AbortController();
  const cutIfSlow = async () => {
    if ((await reader.ended) !== 'too_slow') return;
    logger.warn({ runId: reader.runId }, 'a reader was too slow and has been cut off');
    cutOff.abort();
  };
  runInBackground('cut off a slow reader', cutIfSlow(), logger);
  return eventStream(follow, {
    clock,
    logger,
    silenceMs: AGENT_LIMITS.pingMs,
    silence: PING,
    cutOff: cutOff.signal,
  });
}
