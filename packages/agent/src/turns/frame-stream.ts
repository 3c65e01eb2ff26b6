import { AGENT_LIMITS, type Frame } from '@berth/contract/agent';
import { eventStream, serverSentEvent } from '@berth/http';
import { type Clock, type Logger, runInBackground } from '@berth/kit';
import type { ReaderEnd, RunFrame, RunReader } from '../runs/run-engine.ts';
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
  const follow = (signal: AbortSignal): AsyncIterable<string> => {
    signal.addEventListener('abort', () => reader.close(), { once: true });
    const frames = reader[Symbol.asyncIterator]();
    let lastSeq = afterSeq;
    /** Content of the stream after the frames. */
    let last: string[] | undefined;
    const toText = ({
      done,
      value,
    }: IteratorResult<readonly RunFrame[]>): IteratorResult<string> | Promise<IteratorResult<string>> => {
      if (done) return end();
      let text = '';
      for (const { seq, json } of value) text += event(seq, json);
      lastSeq = value.at(-1)?.seq ?? lastSeq;
      return { done: false, value: text };
    };
    const end = async (): Promise<IteratorResult<string>> => {
      const how = await reader.ended;
      last ??= [
        ...(how === 'interrupted' ? [event(lastSeq + 1, INTERRUPTED)] : []),
        ...(GOES_ON.has(how) ? [] : [DONE]),
      ];
      const value = last.shift();
      return value === undefined ? { done: true, value: undefined } : { done: false, value };
    };
    // No generator: each frame of each turn passes here.
    return {
      [Symbol.asyncIterator]: () => ({
        next: () => frames.next().then(toText),
        async return() {
          reader.close();
          return { done: true, value: undefined };
        },
      }),
    };
  };
  const cutOff = new AbortController();
  const cutIfSlow = async () => {
    if ((await reader.ended) !== 'too_slow') return;
    logger.warn({ runId: reader.runId }, 'a slow client was disconnected');
    cutOff.abort();
  };
  runInBackground('disconnect a slow client', cutIfSlow(), logger);
  return eventStream(follow, {
    clock,
    logger,
    silenceMs: AGENT_LIMITS.pingMs,
    silence: PING,
    cutOff: cutOff.signal,
  });
}
