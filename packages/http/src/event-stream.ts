import { type Clock, describeError, type Logger } from '@berth/kit';
import { pumpEvents } from './event-pump.ts';
import { setPump } from './send-directly.ts';

export interface EventStreamOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** After so long a silence {@link silence} is sent, so that nothing on the way takes the stream for dead. */
  readonly silenceMs: number;
  /** A comment by default. */
  readonly silence?: string;
  /** Sent at once, so that the headers go out. Nothing when the first event is there at once anyway. */
  readonly opening?: string;
  /**
   * Aborts when the client is to be cut off: one that does not read would hold its connection, and what waits in it, for
   * ever. Where the answer is sent directly.
   */
  readonly cutOff?: AbortSignal;
}

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  // Asks nginx and those that read the same header not to buffer.
  'X-Accel-Buffering': 'no',
} as const;

/** An event of a stream of server-sent events. Neither field may hold a line end. */
export function serverSentEvent(data: string, id?: string): string {
  return id === undefined ? `data: ${data}\n\n` : `id: ${id}\ndata: ${data}\n\n`;
}

/**
 * Answers 200 with server-sent events, sent as they come and pulled at the reader's pace.
 * Source: HTML Living Standard, "Server-sent events".
 * @param follow makes the text, any number of whole events at a time; its signal aborts when the client goes away. Where
 * it throws, that is logged and the stream ends: the client comes back and is told by the status.
 */
export function eventStream(
  follow: (signal: AbortSignal) => AsyncIterable<string>,
  { clock, logger, silenceMs, silence = ': keep-alive\n\n', opening, cutOff }: EventStreamOptions,
): Response {
  const gone = new AbortController();
  const texts = follow(gone.signal)[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  // Asked for at once: what is followed is followed from now on, whenever it is read.
  let pending: Promise<IteratorResult<string>> | undefined = texts.next();
  // Between two reads nobody waits for it, and a rejection that nobody hears of would end the process.
  pending.catch(() => {});

  /** The next text; the text of a silence when none comes; undefined at the end. */
  function nextText(): Promise<string | undefined> {
    return new Promise((resolve) => {
      const timer = clock.setTimer(silenceMs, () => resolve(silence));
      const settle = (text: string | undefined) => {
        timer.cancel();
        pending = undefined;
        resolve(text);
      };
      pending ??= texts.next();
      pending.then(
        ({ done, value }) => settle(done ? undefined : value),
        (error: unknown) => {
          // Not an error of the stream: the server would write its text to the client.
          logger.error({ error: describeError(error) }, 'a stream of events was cut off');
          settle(undefined);
        },
      );
    });
  }

  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (opening !== undefined) controller.enqueue(encoder.encode(opening));
      },
      async pull(controller) {
        const text = await nextText();
        if (gone.signal.aborted) return;
        if (text === undefined) controller.close();
        else controller.enqueue(encoder.encode(text));
      },
      async cancel() {
        gone.abort();
        await texts.return?.();
      },
    },
    // Nothing more is made before somebody reads: it may be read in another way.
    { highWaterMark: 0 },
  );
  const onGone = () => gone.abort();
  const first = pending;
  setPump(body, (outgoing) =>
    pumpEvents(outgoing, { first, texts, clock, logger, silenceMs, silence, opening, cutOff, onGone }),
  );
  return new Response(body, { headers: HEADERS });
}
