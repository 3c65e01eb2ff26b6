import type { IncomingMessage } from 'node:http';
import type { Clock } from '@berth/kit';
import { createParser } from 'eventsource-parser';
import type { ModelRequest } from '../model.ts';
import { ModelError } from '../model-error.ts';

export interface ReadEventsOptions {
  readonly name: string;
  /** Silence after which the stream counts as broken, because its other end may have disappeared. */
  readonly silenceMs: number;
  readonly clock: Clock;
  readonly request: Pick<ModelRequest, 'signal' | 'onFirstByte'>;
}

/** Longest event in characters; a base64 picture fits. */
const LONGEST_EVENT = 32 * 1_048_576;
/** How long to drain the rest of a response, so that its connection can be reused. */
const CLOSING_MS = 1_000;

/**
 * Yields the `data` of a response's events, those of one packet at once. Comments, which some servers send as keep-alive, reset the
 * silence timer.
 * @throws ModelError `silent`, `cut` when the connection breaks, `malformed` for an event without end; the signal's reason.
 */
export async function* readEvents(
  incoming: IncomingMessage,
  { name, silenceMs, clock, request }: ReadEventsOptions,
): AsyncGenerator<readonly string[]> {
  let batch: string[] = [];
  const parser = createParser({
    maxBufferSize: LONGEST_EVENT,
    onEvent: ({ data }) => batch.push(data),
    onError(error) {
      if (error.type !== 'max-buffer-size-exceeded') return;
      incoming.destroy(new ModelError('malformed', `${name} sent an event of more than ${LONGEST_EVENT} characters.`));
    },
  });
  // A character cut at a packet's end waits for its other half.
  incoming.setEncoding('utf8');
  const watch = () => clock.setTimer(silenceMs, () => incoming.destroy(sayNothing(name, silenceMs)));
  let timer = watch();
  try {
    for await (const text of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<string>) {
      timer.cancel();
      request.onFirstByte?.();
      parser.feed(text);
      if (batch.length > 0) {
        const events = batch;
        batch = [];
        yield events;
      }
      timer = watch();
    }
  } catch (error) {
    if (request.signal.aborted) throw request.signal.reason;
    if (error instanceof ModelError) throw error;
    throw new ModelError('cut', `${name} closed the connection during its response.`, { cause: error });
  } finally {
    timer.cancel();
    release(incoming, clock);
  }
}

/** Drains the rest of a response within bounded time. */
function release(incoming: IncomingMessage, clock: Clock): void {
  if (incoming.readableEnded || incoming.destroyed) return;
  const timer = clock.setTimer(CLOSING_MS, () => incoming.destroy());
  incoming.once('close', () => timer.cancel());
  incoming.on('error', () => {});
  incoming.resume();
}

/** Returns the error of an upstream that was silent for too long. */
export function sayNothing(name: string, silenceMs: number): ModelError {
  return new ModelError('silent', `${name} sent nothing for ${silenceMs / 1_000} s.`);
}
