/** A least-recently-used cache, bounded by total size. */
export interface LruCache<Value> {
  get(key: string): Value | undefined;
  /**
   * Adds or replaces an entry, evicting the least recently used ones.
   * @param size in characters.
   * @returns the value.
   */
  put(key: string, value: Value, size: number): Value;
}

const MAX_SIZE = 30_000_000;

/** Creates an LRU cache. @param maxSize total size of the entries, in characters. */
export function createLruCache<Value>(maxSize = MAX_SIZE): LruCache<Value> {
  // A Map keeps insertion order: the first entry is the least recently used.
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
