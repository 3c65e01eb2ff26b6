/** Returns the JSON that `storage` keeps under `key`; undefined if there is none, or it is damaged. */
export function readStored(storage: Pick<Storage, 'getItem'>, key: string): unknown {
  try {
    return JSON.parse(storage.getItem(key) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

/** Returns the items of the list that `storage` keeps under `key`, without those that have another shape. */
export function readStoredList<Item>(
  storage: Pick<Storage, 'getItem'>,
  key: string,
  isItem: (value: unknown) => value is Item,
): Item[] {
  const kept = readStored(storage, key);
  return Array.isArray(kept) ? kept.filter(isItem) : [];
}
