import type { SqlRow } from '@berth/contract';

/** A column to sort by, with its direction. */
export interface RowOrder {
  readonly name: string;
  readonly isDown: boolean;
}

/** Returns the order after a press on a heading: ascending, descending, then as answered. */
export function nextOrder(order: RowOrder | undefined, name: string): RowOrder | undefined {
  if (order?.name !== name) return { name, isDown: false };
  return order.isDown ? undefined : { name, isDown: true };
}

/**
 * Returns the rows sorted by a column. Numbers sort by value, including those sent as text because JavaScript can't
 * represent them. NULLs come last.
 */
export function sortRows(rows: readonly SqlRow[], order: RowOrder | undefined): readonly SqlRow[] {
  if (!order) return rows;
  const { name, isDown } = order;
  const direction = isDown ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [left, right] = [one[name] ?? null, other[name] ?? null];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return compare(left, right) * direction;
  });
}

const NUMBER = /^-?\d+(\.\d+)?$/;

function compare(left: unknown, right: unknown): number {
  const [one, other] = [left, right].map((value) =>
    typeof value === 'number' || (typeof value === 'string' && NUMBER.test(value)) ? Number(value) : undefined,
  );
  if (one !== undefined && other !== undefined) return one - other;
  const [a, b] = [left, right].map((value) => (typeof value === 'object' ? JSON.stringify(value) : String(value)));
  return (a ?? '') < (b ?? '') ? -1 : Number(a !== b);
}
