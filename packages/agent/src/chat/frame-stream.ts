import { AGENT_LIMITS } from '@berth/contract/agent';
import { eventStream, serverSentEvent } from '@berth/http';
import type { Clock, Logger } from '@berth/kit';
import type { RunReader } from '../runs/run-engine.ts';

/** Source: spec agent-api 2, "Frames": the last one of every turn. */
export const DONE = serverSentEvent('[DONE]');

const PING = serverSentEvent(JSON.stringify({ type: 'ping' }));

/** Answers with the frames of a run. A reader that is too slow is cut off without the last one, so that it comes back. */
export function frameStream(reader: RunReader, deps: { readonly clock: Clock; readonly logger: Logger }): Response {
  async function* follow(signal: AbortSignal): AsyncGenerator<string> {
    signal.addEventListener('abort', () => reader.close(), { once: true });
    try {
      for await (const frames of reader) {
        yield frames.map(({ seq, json }) => serverSentEvent(json, `${reader.runId}:${seq}`)).join('');
      }
      const end = await reader.ended;
      if (end === 'too_slow') deps.logger.warn({ runId: reader.runId }, 'a reader was too slow and has been cut off');
      else if (end !== 'left') yield DONE;
    } finally {
      reader.close();
    }
  }
  return eventStream(follow, { ...deps, silenceMs: AGENT_LIMITS.pingMs, silence: PING });
}
