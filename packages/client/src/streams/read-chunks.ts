import type { Clock } from '@berth/kit';

/** A body, of `fetch` or of a Node stream. */
export type ByteStream = ReadableStream<Uint8Array>;

export interface ReadChunksOptions {
  readonly clock: Clock;
  /** A stream that is silent for longer is broken: its other end may be gone without a word. */
  readonly idleMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The chunks of a body, in the order they come. Leaving the loop early closes the connection.
 * @throws a `TimeoutError` after `idleMs` of silence, the signal's reason, and whatever the connection fails with.
 */
export async function* readChunks(stream: ByteStream, options: ReadChunksOptions): AsyncGenerator<Uint8Array> {
  // `for await` over a ReadableStream is not in every browser; its reader is.
  const reader = stream.getReader();
  let isDone = false;
  try {
    for (;;) {
      const { value } = await withLimits(reader.read(), options);
      if (value === undefined) {
        isDone = true;
        return;
      }
      yield value;
    }
  } finally {
    // Not awaited: a connection that hangs would hold up the caller who is leaving because it hangs.
    if (!isDone) reader.cancel().catch(() => {});
  }
}

async function withLimits<Value>(work: Promise<Value>, { clock, idleMs, signal }: ReadChunksOptions): Promise<Value> {
  // Where the limit or the signal is first, the connection's own failure still comes and no one waits for it.
  work.catch(() => {});
  signal?.throwIfAborted();
  const { promise: limit, reject } = Promise.withResolvers<never>();
  const timer = clock.setTimer(idleMs, () => reject(new DOMException('the stream is silent', 'TimeoutError')));
  const onAbort = () => reject(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, limit]);
  } finally {
    timer.cancel();
    signal?.removeEventListener('abort', onAbort);
  }
}
