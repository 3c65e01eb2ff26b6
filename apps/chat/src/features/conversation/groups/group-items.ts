import type { Item } from '../state/items.ts';

/** Messages that are drawn together, or not at all. */
export interface ItemGroup {
  /** Of its first message in the conversation. */
  readonly from: number;
  readonly items: readonly Item[];
}

/** A screen or two: what a few thousand of make a conversation that costs what is in sight. */
const SIZE = 8;

/** The messages in groups; one whose messages are the same objects as before is the same object as before. */
export function groupItems(items: readonly Item[], before: readonly ItemGroup[]): readonly ItemGroup[] {
  return Array.from({ length: Math.ceil(items.length / SIZE) }, (_, index) => {
    const from = index * SIZE;
    const old = before[index];
    const count = Math.min(SIZE, items.length - from);
    const isSame = old?.items.length === count && old.items.every((item, place) => item === items[from + place]);
    return isSame ? old : { from, items: items.slice(from, from + count) };
  });
}
