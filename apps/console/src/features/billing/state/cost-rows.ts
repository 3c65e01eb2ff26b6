import type { SqlRow } from '@berth/contract';
import { type CostGroup, daysOf } from './cost-query.ts';

/** Cost of one day, deployment or SKU. */
export interface CostRow {
  /** The day, deployment or SKU. */
  readonly name: string;
  readonly cost: number;
  readonly currency: string;
}

/** Returns the rows of a cost query. Numbers may come as text. */
export function toCostRows(group: CostGroup, rows: readonly SqlRow[]): readonly CostRow[] {
  return rows.map((row) => ({
    name: String(row[group] ?? ''),
    cost: Number(row['cost'] ?? 0),
    currency: String(row['currency'] ?? ''),
  }));
}

/** Returns one total per currency, in order of appearance. A new price list may have changed the currency. */
export function totalsOf(rows: readonly CostRow[]): readonly CostRow[] {
  const totals = new Map<string, number>();
  for (const { cost, currency } of rows) totals.set(currency, (totals.get(currency) ?? 0) + cost);
  return [...totals].map(([currency, cost]) => ({ name: '', cost, currency }));
}

/** Returns the cost of each day of a month in one currency, with zero for days without costs. */
export function fillDays(month: string, rows: readonly CostRow[], currency: string): readonly CostRow[] {
  const known = new Map(rows.filter((row) => row.currency === currency).map(({ name, cost }) => [name, cost]));
  return daysOf(month).map((name) => ({ name, cost: known.get(name) ?? 0, currency }));
}

/** Returns rows for a CSV file, with the group as the first heading. */
export function toCsvRows(group: CostGroup, rows: readonly CostRow[]): readonly SqlRow[] {
  return rows.map(({ name, cost, currency }) => ({ [group]: name, cost, currency }));
}

/** Returns a row's share of the total in its currency, from 0 to 1. */
export function shareOf({ cost, currency }: CostRow, rows: readonly CostRow[]): number {
  const total = totalsOf(rows).find((row) => row.currency === currency)?.cost ?? 0;
  return total > 0 ? Math.max(0, cost / total) : 0;
}
