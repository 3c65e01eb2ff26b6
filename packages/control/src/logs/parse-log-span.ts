import { createValidationError } from '@berth/contract';
import { normalizeTimestamp } from '@berth/logstore';

/** Parses a request's range of times into epoch milliseconds. @throws `invalid` for an empty range. */
export function parseLogSpan(
  { since, until }: { readonly since: string; readonly until?: string | null | undefined },
  nowMs: number,
): { readonly fromMs: number; readonly untilMs: number } {
  const fromMs = Date.parse(normalizeTimestamp(since));
  const untilMs = until ? Date.parse(normalizeTimestamp(until)) : nowMs;
  if (untilMs > fromMs) return { fromMs, untilMs };
  const loc = ['body', until ? 'until' : 'since'];
  throw createValidationError([{ loc, msg: 'the span must end after it begins', type: 'span_empty' }]);
}
