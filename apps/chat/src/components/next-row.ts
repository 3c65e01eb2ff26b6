/** Returns the row that a navigation key moves to from `row` of `count`; undefined for other keys. Source: ARIA practices, listbox. */
export function nextRow(key: string, row: number, count: number): number | undefined {
  const last = count - 1;
  const moves: Readonly<Record<string, number>> = {
    ...{ ArrowDown: row + 1, ArrowUp: row - 1, PageDown: row + 10, PageUp: row - 10, Home: 0, End: last },
  };
  const target = Object.hasOwn(moves, key) ? moves[key] : undefined;
  return target === undefined || count === 0 ? undefined : Math.max(0, Math.min(last, target));
}
