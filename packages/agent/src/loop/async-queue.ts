/** A queue with several writers and one reader. */
export interface AsyncQueue<Item> extends AsyncIterable<Item> {
  put(item: Item): void;
  /** Ends the queue; the reader still gets the remaining items. */
  end(): void;
}

/** Creates an empty queue. */
export function createAsyncQueue<Item>(): AsyncQueue<Item> {
  let items: Item[] = [];
  let isEnded = false;
  let wake = Promise.withResolvers<void>();
  return {
    put(item) {
      items.push(item);
      wake.resolve();
    },
    end() {
      isEnded = true;
      wake.resolve();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const ready = items;
        items = [];
        yield* ready;
        if (items.length > 0) continue;
        if (isEnded) return;
        await wake.promise;
        wake = Promise.withResolvers();
      }
    },
  };
}
