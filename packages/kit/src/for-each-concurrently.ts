import { createLimiter } from './limiter.ts';

/** Options of {@link forEachConcurrently}. */
export interface ForEachConcurrentlyOptions {
  /** Maximum number of items processed at the same time, at least 1. */
  readonly concurrency: number;
  readonly signal?: AbortSignal;
}

/**
 * Calls `work` for each item, with at most `concurrency` calls at a time. Items are read from `items` only when a call
 * can start. The first failure stops the rest: no more items are read, the signal passed to `work` aborts, and the
 * function waits for the calls in progress.
 * @throws the first failure, or the reason of `options.signal`.
 */
export async function forEachConcurrently<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  { concurrency, signal: outer }: ForEachConcurrentlyOptions,
  work: (item: Item, signal: AbortSignal) => void | Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const signal = outer ? AbortSignal.any([outer, stop.signal]) : stop.signal;
  const iterator = iterate(items);
  // Only one worker at a time may call next(), and a generator that failed must not be called again.
  const taking = createLimiter({ concurrency: 1 });
  const take = () => taking.run(() => (signal.aborted ? { done: true as const, value: undefined } : iterator.next()));
  let failure: { readonly error: unknown } | undefined;
  const lane = async () => {
    try {
      for (let next = await take(); !next.done && !signal.aborted; next = await take()) await work(next.value, signal);
    } catch (error) {
      failure ??= { error };
      stop.abort(error);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  if (failure) throw failure.error;
  outer?.throwIfAborted();
}

function iterate<Item>(items: Iterable<Item> | AsyncIterable<Item>): Iterator<Item> | AsyncIterator<Item> {
  return Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
}
