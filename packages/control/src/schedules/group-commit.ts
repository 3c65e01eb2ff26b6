/** Items per commit, since others wait for its transaction. */
const MAX_ITEMS = 200;

interface Waiting<Item, Result> extends PromiseWithResolvers<Result> {
  readonly item: Item;
}

/**
 * Batches items that arrive during a commit into the next one: a commit waits for the disk, and hundreds may arrive at once.
 * @param commit returns a result for each item, in order; its error goes to every caller of the batch.
 */
export function createGroupCommit<Item, Result>(
  commit: (items: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let isCommitting = false;

  const run = async () => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MAX_ITEMS);
      try {
        const results = await commit(batch.map(({ item }) => item));
        for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isCommitting = false;
  };

  return (item) => {
    const entry = { item, ...Promise.withResolvers<Result>() };
    waiting.push(entry);
    if (!isCommitting) {
      isCommitting = true;
      void run();
    }
    return entry.promise;
  };
}
