/** Ways to group costs. */
export const COST_GROUPS = ['day', 'deployment', 'sku'] as const;

/** A way to group costs. */
export type CostGroup = (typeof COST_GROUPS)[number];

const EXPRESSIONS: Readonly<Record<CostGroup, string>> = {
  day: "strftime(usage_start_time, '%Y-%m-%d')",
  deployment: 'resource.name',
  sku: 'sku.description',
};

/**
 * Returns the SQL of `berth cost --by`, which answers `{ day | deployment | sku, cost, currency }` for a UTC month such
 * as `2026-01`.
 */
export function costQuery(group: CostGroup, month: string): string {
  const [from, to] = monthRange(month);
  return `SELECT ${EXPRESSIONS[group]} AS "${group}", SUM(cost) AS cost, currency FROM billing
WHERE usage_start_time >= TIMESTAMPTZ '${from}' AND usage_start_time < TIMESTAMPTZ '${to}'
GROUP BY 1, currency ORDER BY ${group === 'day' ? '1' : 'cost DESC'}`;
}

/** Returns the first day of a month and of the next. @throws RangeError if `month` is invalid */
function monthRange(month: string): readonly [from: string, to: string] {
  const [year = Number.NaN, number = Number.NaN] = /^(\d{4})-(\d\d)$/.exec(month)?.slice(1).map(Number) ?? [];
  const day = (at: number) => new Date(at).toISOString().slice(0, 10);
  return [day(Date.UTC(year, number - 1, 1)), day(Date.UTC(year, number, 1))];
}

/** Returns this UTC month and the ones before it, newest first, e.g. `2026-01`. */
export function lastMonths(nowMs: number, count: number): readonly string[] {
  const now = new Date(nowMs);
  return Array.from({ length: count }, (_, before) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - before, 1)).toISOString().slice(0, 7),
  );
}

/** Returns the days of a month, e.g. `2026-01-01`. */
export function daysOf(month: string): readonly string[] {
  const [from, to] = monthRange(month).map(Date.parse) as [number, number];
  return Array.from({ length: (to - from) / 86_400_000 }, (_, day) =>
    new Date(from + day * 86_400_000).toISOString().slice(0, 10),
  );
}
