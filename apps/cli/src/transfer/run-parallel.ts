/**
 * Runs `work` on each item, `limit` at once, taking items as there is room for them. The first failure ends it: no more
 * are taken, and those that run are aborted.
 * @throws the first failure.
 */
export async function runParallel<Item>(
  items: AsyncIterable<Item>,
  limit: number,
  outer: AbortSignal,
  work: (item: Item, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const signal = AbortSignal.any([outer, stop.signal]);
  const iterator = items[Symbol.asyncIterator]();
  // One asks at a time: a generator that fails must not be asked again.
  let turn: Promise<unknown> = Promise.resolve();
  const take = () => {
    const taken = turn.then(() => (signal.aborted ? { done: true as const, value: undefined } : iterator.next()));
    turn = taken.catch(() => {});
    return taken;
  };
  const loop = async () => {
    for (let next = await take(); !next.done && !signal.aborted; next = await take()) await work(next.value, signal);
  };
  let failure: { readonly error: unknown } | undefined;
  const guarded = () =>
    loop().catch((error: unknown) => {
      failure ??= { error };
      stop.abort(error);
    });
  await Promise.all(Array.from({ length: limit }, guarded));
  if (failure) throw failure.error;
  outer.throwIfAborted();
}
