import type { ServerResponse } from 'node:http';
import { type Clock, describeError, type Logger } from '@berth/kit';
import { drained } from './drained.ts';
import { setPump } from './send-directly.ts';

export interface EventStreamOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /**
   * Time without an event, in milliseconds, after which {@link silence} is sent, so that proxies keep the connection
   * open.
   */
  readonly silenceMs: number;
  /** Default: a comment. */
  readonly silence?: string;
  /** Sent at once, so that the headers go out, unless the first event is already there. */
  readonly opening?: string;
  /**
   * Aborts to disconnect the client: one that does not read would keep its connection, and what waits in it, forever.
   * Applies to responses sent directly.
   */
  readonly cutOff?: AbortSignal;
}

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  // Tells nginx, and proxies that read the same header, not to buffer.
  'X-Accel-Buffering': 'no',
} as const;

/** Returns one server-sent event. Neither field may contain a line end. */
export function serverSentEvent(data: string, id?: string): string {
  return id === undefined ? `data: ${data}\n\n` : `id: ${id}\ndata: ${data}\n\n`;
}

/**
 * Returns a 200 response with server-sent events, sent at the reader's pace.
 * Source: HTML Living Standard, "Server-sent events".
 * @param follow yields text, any number of whole events at a time; its signal aborts when the client disconnects. When
 * it throws, the error is logged and the stream ends: the client reconnects, and sees the status.
 */
export function eventStream(
  follow: (signal: AbortSignal) => AsyncIterable<string>,
  { clock, logger, silenceMs, silence = ': keep-alive\n\n', opening, cutOff }: EventStreamOptions,
): Response {
  const gone = new AbortController();
  const texts = follow(gone.signal)[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  // Requested at once, so that events are followed from now on, whenever the body is read.
  let pending: Promise<IteratorResult<string>> | undefined = texts.next();
  // No one awaits it between two reads, and an unhandled rejection would end the process.
  pending.catch(() => {});

  const reportFailure = (error: unknown) =>
    logger.error({ error: describeError(error) }, 'a stream of events was cut off');

  /** Returns the next text; the text of a silence when none comes; undefined at the end. */
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
          // Not passed on as an error of the stream: the server would write its message to the client.
          reportFailure(error);
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
    // Nothing more is produced before someone reads: `sendDirectly` may read it another way.
    { highWaterMark: 0 },
  );
  const first = pending;

  /** Writes the events to the response at its reader's pace, and ends it after the last. The head must have been written. */
  async function pump(outgoing: ServerResponse): Promise<void> {
    let isOver = false;
    // Node writes a chunk in four parts, at twice the cost of one.
    const isChunked = outgoing.chunkedEncoding;
    outgoing.chunkedEncoding = false;
    const write = (text: string): boolean =>
      outgoing.write(isChunked ? `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n` : text);
    const onClose = () => {
      if (isOver) return;
      isOver = true;
      gone.abort();
      texts.return?.().catch(() => {});
    };
    outgoing.once('close', onClose);
    if (outgoing.destroyed) onClose();
    const cut = () => void outgoing.destroy();
    cutOff?.addEventListener('abort', cut, { once: true });
    if (cutOff?.aborted) cut();
    let lastMs = clock.monotonicMs();
    // Restarted when it fires, not with every text: most streams are never silent.
    const listen = () =>
      clock.setTimer(lastMs + silenceMs - clock.monotonicMs(), () => {
        if (isOver) return;
        if (clock.monotonicMs() - lastMs >= silenceMs) {
          lastMs = clock.monotonicMs();
          if (!outgoing.writableNeedDrain) write(silence);
        }
        timer = listen();
      });
    let timer = listen();
    try {
      if (opening !== undefined) write(opening);
      for (let next = first; !isOver; next = texts.next()) {
        const { done, value } = await next;
        if (done || isOver) break;
        lastMs = clock.monotonicMs();
        // An empty chunk would be the last one.
        if (value !== '' && !write(value) && !isOver) await drained(outgoing);
      }
    } catch (error) {
      if (!isOver) reportFailure(error);
    } finally {
      timer.cancel();
      isOver = true;
      outgoing.off('close', onClose);
      cutOff?.removeEventListener('abort', cut);
      if (isChunked && !outgoing.destroyed) outgoing.write('0\r\n\r\n');
      outgoing.end();
    }
  }

  setPump(body, pump);
  return new Response(body, { headers: HEADERS });
}
