import { UsageError } from '../errors/usage-error.ts';
import { parseSpanMs } from './parse-span.ts';

/** Parses a flag's duration before now, or time, to an RFC 3339 time. @throws UsageError that names `flag` */
export function readMoment(flag: string, text: string, nowMs: number): string {
  const spanMs = parseSpanMs(text);
  if (spanMs !== undefined) return new Date(nowMs - spanMs).toISOString();
  // A cursor has nanoseconds, which Date would drop.
  if (/^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/.test(text)) return text;
  const atMs = Date.parse(text);
  if (Number.isNaN(atMs))
    throw new UsageError(`${flag}: write a span such as 30m, or a time such as 2026-01-31T12:00:00Z`);
  return new Date(atMs).toISOString();
}
