import { createValidationError } from '@berth/contract';
import { normalizeTimestamp } from '@berth/logstore';

/** A span of times as requests name it, in milliseconds since the epoch. @throws `invalid` where it has no length. */
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
