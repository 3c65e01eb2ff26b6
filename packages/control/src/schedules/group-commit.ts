/** Items of one commit: others wait for its transaction. */
const MAX_ITEMS = 200;

interface Waiting<Item, Result> extends PromiseWithResolvers<Result> {
  readonly item: Item;
}

/**
 * Commits items together that come while a commit is under way: a commit waits for the disk, and hundreds may come at once.
 * @param commit answers a result for each item, in order; what it throws, all of its items' callers get.
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
