import type { ServerResponse } from 'node:http';
import { describeError, type Logger } from '@berth/kit';
import { drained } from './drained.ts';
import { setPump } from './send-directly.ts';

export interface ByteStreamOptions {
  readonly status: number;
  readonly headers: Headers;
  readonly logger: Logger;
}

/**
 * Returns a response that streams bytes at the reader's pace. When producing them fails, the error is logged and the
 * connection is cut, so that a partial body is not mistaken for the whole. When the client disconnects, `bytes` is
 * returned.
 */
export function byteStream(bytes: AsyncIterable<Uint8Array>, { status, headers, logger }: ByteStreamOptions): Response {
  const source = bytes[Symbol.asyncIterator]();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await source.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await source.return?.();
      },
    },
    // Nothing is read before someone reads: `sendDirectly` may read it another way.
    { highWaterMark: 0 },
  );
  setPump(body, (outgoing) => pumpBytes(outgoing, source, logger));
  return new Response(body, { status, headers });
}

async function pumpBytes(outgoing: ServerResponse, source: AsyncIterator<Uint8Array>, logger: Logger): Promise<void> {
  let isGone = outgoing.destroyed;
  const onClose = () => {
    isGone = true;
    // A generator that waits for its next bytes can't return; its producer has to learn of the end in another way too.
    source.return?.().catch(() => {});
  };
  outgoing.once('close', onClose);
  if (isGone) onClose();
  try {
    while (!isGone) {
      const { done, value } = await source.next();
      if (done || isGone) break;
      if (!outgoing.write(value) && !isGone) await drained(outgoing);
    }
    outgoing.off('close', onClose);
    outgoing.end();
  } catch (error) {
    if (!isGone) logger.warn({ error: describeError(error) }, 'a response was cut off');
    outgoing.destroy();
  }
}
