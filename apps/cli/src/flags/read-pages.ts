import { UsageError } from '../errors/usage-error.ts';

/** Parses the value of `--limit`. @throws UsageError */
export function readLimit(text: string | undefined, fallback: number): number {
  const limit = text === undefined ? fallback : Number(text);
  if (Number.isInteger(limit) && limit >= 1) return limit;
  throw new UsageError('--limit must be a positive number');
}

/**
 * Reads a list page by page.
 * @param wanted the most that is read
 * @param pageSize the most that a page holds
 */
export async function readPages<Item>(
  wanted: number,
  pageSize: number,
  read: (limit: number, token: string | undefined) => Promise<readonly [items: readonly Item[], next: string | null]>,
): Promise<Item[]> {
  const all: Item[] = [];
  for (let token: string | undefined; all.length < wanted; ) {
    const [items, next] = await read(Math.min(pageSize, wanted - all.length), token);
    all.push(...items);
    if (next === null) break;
    token = next;
  }
  return all;
}
