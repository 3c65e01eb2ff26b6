/** Calls `work` for every item, at most `atOnce` at a time. @throws what the first call to fail threw. */
export async function forEachBounded<Item>(
  items: Iterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]();
  const lane = async () => {
    for (let next = rest.next(); !next.done; next = rest.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}
