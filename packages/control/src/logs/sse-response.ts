import { type Clock, createDeferred, describeError, type Logger } from '@berth/kit';

/** One event of a stream of server-sent events. Neither field holds a line end. */
export interface SseEvent {
  /** What a client that comes back sends as `Last-Event-ID`. */
  readonly id: string;
  readonly data: string;
}

export interface SseResponseOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** A silent stream says a comment this often, so that nothing on the way takes it for dead. */
  readonly keepAliveMs: number;
}

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  // Asks nginx and those that read the same header not to buffer.
  'X-Accel-Buffering': 'no',
} as const;

const ENDED: IteratorResult<SseEvent> = { done: true, value: undefined };

/**
 * Answers 200 with server-sent events, sent as they come and pulled at the reader's pace.
 * Source: HTML Living Standard, "Server-sent events".
 * @param follow makes the events; its signal aborts when the client goes away. Where it throws, that is logged and the
 * stream ends: the client comes back and is told by the status.
 */
export function sseResponse(
  follow: (signal: AbortSignal) => AsyncIterable<SseEvent>,
  { clock, logger, keepAliveMs }: SseResponseOptions,
): Response {
  const gone = new AbortController();
  const events = follow(gone.signal)[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let pending: Promise<IteratorResult<SseEvent>> | undefined;

  /** The next event, or undefined after a silence. */
  async function nextEvent(): Promise<IteratorResult<SseEvent> | undefined> {
    const silence = createDeferred<undefined>();
    const timer = clock.setTimer(keepAliveMs, () => silence.resolve(undefined));
    if (!pending) {
      pending = events.next();
      // Between two pulls nobody waits for it, and a rejection that nobody hears of would end the process.
      pending.catch(() => {});
    }
    try {
      const result = await Promise.race([pending, silence.promise]);
      if (result) pending = undefined;
      return result;
    } finally {
      timer.cancel();
    }
  }

  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      // At once: the headers go out with the first bytes.
      controller.enqueue(encoder.encode(': open\n\n'));
    },
    async pull(controller) {
      const result = await nextEvent().catch((error: unknown) => {
        // Not an error of the stream: the server would write its text to the client.
        logger.error({ error: describeError(error) }, 'a stream of events was cut off');
        return ENDED;
      });
      if (!result) controller.enqueue(encoder.encode(': keep-alive\n\n'));
      else if (result.done) controller.close();
      else controller.enqueue(encoder.encode(`id: ${result.value.id}\ndata: ${result.value.data}\n\n`));
    },
    async cancel() {
      gone.abort();
      await events.return?.();
    },
  });
  return new Response(body, { headers: HEADERS });
}
