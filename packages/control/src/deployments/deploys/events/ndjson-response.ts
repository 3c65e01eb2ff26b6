import { deployEventSchema } from '@berth/contract';
import { describeError, type Logger } from '@berth/kit';
import type { RouteConfig } from '@hono/zod-openapi';

/** Headers of a stream of JSON lines, which no proxy may buffer or cache. */
const HEADERS = {
  'Content-Type': 'application/x-ndjson',
  'Cache-Control': 'no-store',
  // Tells nginx, and proxies that follow it, not to buffer.
  'X-Accel-Buffering': 'no',
} as const;

/**
 * Returns a 200 response with a line of JSON for each value, streamed at the reader's pace.
 * An error is logged and cuts the stream, since the status is already sent.
 * @param follow yields the values; its signal aborts when the client disconnects.
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
        logger.error({ error: describeError(error) }, 'a stream failed');
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

/** Returns the `responses` entry of a stream of deploy events. */
export function deployStreamResponse(description: string): RouteConfig['responses'][200] {
  return { description, content: { 'application/x-ndjson': { schema: deployEventSchema } } };
}
