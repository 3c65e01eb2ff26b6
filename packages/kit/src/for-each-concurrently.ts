import { createLimiter } from './limiter.ts';

/** Options of {@link forEachConcurrently}. */
export interface ForEachConcurrentlyOptions {
  /** Items worked on at once, at least 1. */
  readonly concurrency: number;
  readonly signal?: AbortSignal;
}

/**
 * Calls `work` for each item. An item is taken when there is room for it. The first failure ends the rest: no more items are
 * taken, the signal that `work` gets aborts, and the call waits for the items under way.
 * @throws the first failure, and the reason of `options.signal`.
 */
export async function forEachConcurrently<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  { concurrency, signal: outer }: ForEachConcurrentlyOptions,
  work: (item: Item, signal: AbortSignal) => void | Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const signal = outer ? AbortSignal.any([outer, stop.signal]) : stop.signal;
  const iterator = iterate(items);
  // An iterator is asked by one lane at a time, and a generator that failed must not be asked again.
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
