/** Items that several tasks put in and one reader takes out, in the order they came. */
export interface AsyncQueue<Item> extends AsyncIterable<Item> {
  put(item: Item): void;
  /** No more will come; the reader gets what is left. */
  end(): void;
}

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
