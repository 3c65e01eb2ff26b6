import type { Clock } from '@berth/kit';

/** What a body may come as: the body of `fetch`, or a Node stream. */
export type ByteStream = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

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
  const source = openSource(stream);
  let isDone = false;
  try {
    for (;;) {
      const chunk = await withLimits(source.next(), options);
      if (chunk === undefined) {
        isDone = true;
        return;
      }
      yield chunk;
    }
  } finally {
    // Not awaited: a connection that hangs would hold up the caller who is leaving because it hangs.
    if (!isDone) source.cancel().catch(() => {});
  }
}

interface ChunkSource {
  next(): Promise<Uint8Array | undefined>;
  cancel(): Promise<unknown>;
}

/** `for await` over a ReadableStream is not in every browser; its reader is. */
function openSource(stream: ByteStream): ChunkSource {
  if ('getReader' in stream) {
    const reader = stream.getReader();
    return {
      next: async () => (await reader.read()).value,
      cancel: () => reader.cancel(),
    };
  }
  const iterator = stream[Symbol.asyncIterator]();
  return {
    next: async () => {
      const result = await iterator.next();
      return result.done ? undefined : result.value;
    },
    cancel: async () => iterator.return?.(),
  };
}

async function withLimits<Value>(work: Promise<Value>, { clock, idleMs, signal }: ReadChunksOptions): Promise<Value> {
  // Where the limit or the signal is first, the connection's own failure still comes and nobody waits for it.
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
