/** The row that a key leads to from `row` of `count`; undefined for keys that lead nowhere. Source: ARIA practices, listbox. */
export function nextRow(key: string, row: number, count: number): number | undefined {
  const last = count - 1;
  const moves: Readonly<Record<string, number>> = {
    ...{ ArrowDown: row + 1, ArrowUp: row - 1, PageDown: row + 10, PageUp: row - 10, Home: 0, End: last },
  };
  const target = Object.hasOwn(moves, key) ? moves[key] : undefined;
  return target === undefined || count === 0 ? undefined : Math.max(0, Math.min(last, target));
}
