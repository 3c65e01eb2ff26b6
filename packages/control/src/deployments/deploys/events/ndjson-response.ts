import { describeError, type Logger } from '@berth/kit';

/** Header values of a stream of JSON lines that nothing on the way may hold back or keep. */
const HEADERS = {
  'Content-Type': 'application/x-ndjson',
  'Cache-Control': 'no-store',
  // Asks nginx and those that read the same header not to buffer.
  'X-Accel-Buffering': 'no',
} as const;

/**
 * Answers 200 with a line of JSON for each value, sent as it comes and pulled at the reader's pace.
 * A fault cuts the stream, and is logged: there is no status left to tell it with.
 * @param follow makes the values; its signal aborts when the client goes away.
 */
export function ndjsonResponse(logger: Logger, follow: (signal: AbortSignal) => AsyncIterable<unknown>): Response {
  const gone = new AbortController();
  const values = follow(gone.signal)[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await values.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(`${JSON.stringify(value)}\n`));
      } catch (error) {
        logger.error({ error: describeError(error) }, 'a stream broke');
        throw error;
      }
    },
    async cancel() {
      gone.abort();
      await values.return?.();
    },
  });
  return new Response(body, { headers: HEADERS });
}
