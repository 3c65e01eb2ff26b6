/** Number of items of a batch: entries of a folder that are visited concurrently. */
const BATCH = 16;

/** Calls `work` for each item, in batches of 16 at the same time. @throws what `work` throws. */
export async function inBatches<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  for (let start = 0; start < items.length; start += BATCH) {
    await Promise.all(items.slice(start, start + BATCH).map(work));
  }
}
