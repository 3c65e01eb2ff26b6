import { AGENT_LIMITS, type Frame } from '@berth/contract/agent';
import { eventStream, serverSentEvent } from '@berth/http';
import { type Clock, type Logger, runInBackground } from '@berth/kit';
import type { RunReader } from '../runs/run-engine.ts';

/** Source: docs/contract/agent-api.md §2, "Frames": the last one of every turn. */
export const DONE = serverSentEvent('[DONE]');

const PING = serverSentEvent(JSON.stringify({ type: 'ping' } satisfies Frame));

const INTERRUPTED = JSON.stringify({ type: 'status', status: 'interrupted' } satisfies Frame);

export interface FrameStreamOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** What the client has of the run: frames up to this one. */
  readonly afterSeq?: number;
}

/**
 * Answers with the frames of a run. One that was interrupted ends with a status that says so, numbered like the others. A
 * reader that is too slow is cut off without [DONE], so that it comes back.
 */
export function frameStream(reader: RunReader, { clock, logger, afterSeq = 0 }: FrameStreamOptions): Response {
  const event = (seq: number, json: string) => serverSentEvent(json, `${reader.runId}:${seq}`);
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
      if (end !== 'too_slow' && end !== 'left') yield DONE;
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
