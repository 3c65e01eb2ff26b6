/** The sort order of a table. */
export interface TableOrder {
  readonly column: number;
  readonly isDown: boolean;
}

/** Returns the order after a press of a column's heading: ascending, descending, then unsorted. */
export function nextOrder(order: TableOrder | undefined, column: number): TableOrder | undefined {
  if (order?.column !== column) return { column, isDown: false };
  return order.isDown ? undefined : { column, isDown: true };
}

const NUMBER = /^[-+\u2212]?[\d.,\s]*\d\s*%?$/;

/** Compares two cells: by value where both are numbers, else as text with `file10` after `file9`. */
export function compareCells(a: string, b: string, language: string): number {
  const [one, other] = [toNumber(a), toNumber(b)];
  if (one !== undefined && other !== undefined) return one - other;
  return a.localeCompare(b, language, { numeric: true, sensitivity: 'base' });
}

/** Returns true for a column whose cells are all numbers, apart from empty ones. */
export function isNumeric(cells: readonly string[]): boolean {
  const filled = cells.filter((cell) => cell.trim() !== '');
  return filled.length > 0 && filled.every((cell) => toNumber(cell) !== undefined);
}

/** Parses `1,234.5` and `12 %`; undefined for other text, including amounts with a unit in letters. */
function toNumber(text: string): number | undefined {
  const trimmed = text.trim().replace(/^[$€£¥]\s?/, '');
  if (!NUMBER.test(trimmed)) return undefined;
  const value = Number(trimmed.replaceAll(/[,\s%]/g, '').replace('\u2212', '-'));
  return Number.isNaN(value) ? undefined : value;
}
