import { UsageError } from '../errors/usage-error.ts';

/** Parses a flag's duration before now, or time, to an RFC 3339 time. @throws UsageError that names `flag` */
export function readMoment(flag: string, text: string, nowMs: number): string {
  const spanMs = parseSpanMs(text);
  if (spanMs !== undefined) return new Date(nowMs - spanMs).toISOString();
  // A cursor has nanoseconds, which Date would drop.
  if (/^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/.test(text)) return text;
  const atMs = Date.parse(text);
  if (Number.isNaN(atMs))
    throw new UsageError(`${flag} must be a duration such as 30m, or a time such as 2026-01-31T12:00:00Z`);
  return new Date(atMs).toISOString();
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Parses a duration such as `45s`, `30m`, `2h`, `1h30m`, `7d` to milliseconds; undefined for any other text. */
export function parseSpanMs(text: string): number | undefined {
  if (!/^(\d+[smhdw])+$/.test(text)) return undefined;
  let totalMs = 0;
  for (const [, count, unit] of text.matchAll(/(\d+)([smhdw])/g)) totalMs += Number(count) * (UNIT_MS[unit ?? ''] ?? 0);
  return totalMs;
}
