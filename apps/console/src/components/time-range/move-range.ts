import { type Range, rangeMs } from './time-range.ts';

/** The shortest range that zooming leads to. */
const SHORTEST_MS = 1_000;

/** The range as two times, twice as long around the same middle; never beyond now. */
export function widenRange(range: Range, nowMs: number): Range {
  const { fromMs, toMs } = rangeMs(range, nowMs);
  const halfMs = (toMs - fromMs) / 2;
  return toRange(fromMs - halfMs, Math.min(toMs + halfMs, nowMs));
}

/** The range as two times, moved by its half into the past (-1) or the future (1); never beyond now. */
export function shiftRange(range: Range, direction: -1 | 1, nowMs: number): Range {
  const { fromMs, toMs } = rangeMs(range, nowMs);
  const stepMs = Math.min(((toMs - fromMs) / 2) * direction, Math.max(nowMs - toMs, 0));
  return toRange(fromMs + stepMs, toMs + stepMs);
}

/** Two instants as a range. */
export function toRange(fromMs: number, toMs: number): Range {
  const time = (ms: number) => new Date(Math.round(ms)).toISOString();
  return { from: time(fromMs), to: time(Math.max(toMs, fromMs + SHORTEST_MS)) };
}
