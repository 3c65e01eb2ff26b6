/** What was used last, up to a size. */
export interface LruCache<Value> {
  get(key: string): Value | undefined;
  /** @param size in characters. @returns the value. */
  put(key: string, value: Value, size: number): Value;
}

const MAX_SIZE = 30_000_000;

export function createLruCache<Value>(maxSize = MAX_SIZE): LruCache<Value> {
  // A Map keeps the order of insertion: the first is what was not used for longest.
  const entries = new Map<string, { readonly value: Value; readonly size: number }>();
  let total = 0;
  const remove = (key: string) => {
    total -= entries.get(key)?.size ?? 0;
    entries.delete(key);
  };
  return {
    get(key) {
      const entry = entries.get(key);
      if (!entry) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    put(key, value, size) {
      remove(key);
      entries.set(key, { value, size });
      total += size;
      for (const oldest of entries.keys()) {
        if (total <= maxSize || oldest === key) break;
        remove(oldest);
      }
      return value;
    },
  };
}
