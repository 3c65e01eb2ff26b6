/** Which column a table is sorted by. */
export interface TableOrder {
  readonly column: number;
  readonly isDown: boolean;
}

/** The order after a press of a column's heading: up, down, and as it was. */
export function nextOrder(order: TableOrder | undefined, column: number): TableOrder | undefined {
  if (order?.column !== column) return { column, isDown: false };
  return order.isDown ? undefined : { column, isDown: true };
}

const NUMBER = /^[-+\u2212]?[\d.,\s]*\d\s*%?$/;

/** Orders two cells as a person would: numbers by their value where both are numbers, else words, with `file10` after `file9`. */
export function compareCells(a: string, b: string, language: string): number {
  const [one, other] = [toNumber(a), toNumber(b)];
  if (one !== undefined && other !== undefined) return one - other;
  return a.localeCompare(b, language, { numeric: true, sensitivity: 'base' });
}

/** `1,234.5` and `12 %` as numbers; undefined for what is none, and for amounts in letters, which may be of any unit. */
function toNumber(text: string): number | undefined {
  const trimmed = text.trim().replace(/^[$€£¥]\s?/, '');
  if (!NUMBER.test(trimmed)) return undefined;
  const value = Number(trimmed.replaceAll(/[,\s%]/g, '').replace('\u2212', '-'));
  return Number.isNaN(value) ? undefined : value;
}
