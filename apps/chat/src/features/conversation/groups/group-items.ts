import type { Item } from '../state/items.ts';

/** Consecutive messages that are rendered together or not at all. */
export interface ItemGroup {
  /** Index of its first message in the conversation. */
  readonly from: number;
  readonly items: readonly Item[];
}

/** Messages per group: about one or two screens, so that a long conversation costs only what is in view. */
const SIZE = 8;

/** Splits messages into groups. A group whose messages are the same objects as in `before` is returned as the same object. */
export function groupItems(items: readonly Item[], before: readonly ItemGroup[]): readonly ItemGroup[] {
  return Array.from({ length: Math.ceil(items.length / SIZE) }, (_, index) => {
    const from = index * SIZE;
    const old = before[index];
    const count = Math.min(SIZE, items.length - from);
    const isSame = old?.items.length === count && old.items.every((item, place) => item === items[from + place]);
    return isSame ? old : { from, items: items.slice(from, from + count) };
  });
}
