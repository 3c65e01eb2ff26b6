import type { IncomingMessage } from 'node:http';
import type { Clock } from '@berth/kit';
import { createParser } from 'eventsource-parser';
import { ModelError } from '../model-error.ts';

export interface ReadEventsOptions {
  readonly name: string;
  /** A stream that is silent for longer is broken: its other end may be gone without a word. */
  readonly silenceMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Characters of one event; a picture in base 64 fits. */
const LONGEST_EVENT = 32 * 1_048_576;
/** How long an upstream may take to close after the reader had enough, so that the connection can be used again. */
const CLOSING_MS = 1_000;

/**
 * The `data` of the events of an answer, those of one packet at once. Comments, which some send to say that they live,
 * count as a sign of life.
 * @throws ModelError `silent`, `cut` when the connection breaks, `malformed` for an event without end; the signal's reason.
 */
export async function* readEvents(
  incoming: IncomingMessage,
  { name, silenceMs, clock, signal }: ReadEventsOptions,
): AsyncGenerator<readonly string[]> {
  let batch: string[] = [];
  const parser = createParser({
    maxBufferSize: LONGEST_EVENT,
    onEvent: ({ data }) => batch.push(data),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') incoming.destroy(sayEndless(name));
    },
  });
  // Half of a character at a packet's end waits for its other half.
  incoming.setEncoding('utf8');
  const watch = () =>
    clock.setTimer(silenceMs, () =>
      incoming.destroy(new ModelError('silent', `${name} sent nothing for ${silenceMs / 1_000} s.`)),
    );
  let timer = watch();
  try {
    for await (const text of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<string>) {
      timer.cancel();
      parser.feed(text);
      if (batch.length > 0) {
        const events = batch;
        batch = [];
        yield events;
      }
      timer = watch();
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof ModelError) throw error;
    throw new ModelError('cut', `${name} broke off its answer.`, { cause: error });
  } finally {
    timer.cancel();
    release(incoming, clock);
  }
}

/** Lets the rest go by, for as long as an upstream takes that is done. */
function release(incoming: IncomingMessage, clock: Clock): void {
  if (incoming.readableEnded || incoming.destroyed) return;
  const timer = clock.setTimer(CLOSING_MS, () => incoming.destroy());
  incoming.once('close', () => timer.cancel());
  incoming.on('error', () => {});
  incoming.resume();
}

function sayEndless(name: string): ModelError {
  return new ModelError('malformed', `${name} sent an event of more than ${LONGEST_EVENT} characters.`);
}
