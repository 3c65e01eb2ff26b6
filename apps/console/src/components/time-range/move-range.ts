import { type Range, rangeMs } from './time-range.ts';

/** The shortest range that zooming can reach. */
const SHORTEST_MS = 1_000;

/** Doubles the range around its middle; it never ends after now. */
export function widenRange(range: Range, nowMs: number): Range {
  const { fromMs, toMs } = rangeMs(range, nowMs);
  const halfMs = (toMs - fromMs) / 2;
  return toRange(fromMs - halfMs, Math.min(toMs + halfMs, nowMs));
}

/** Moves the range by half its length into the past (-1) or the future (1); it never ends after now. */
export function shiftRange(range: Range, direction: -1 | 1, nowMs: number): Range {
  const { fromMs, toMs } = rangeMs(range, nowMs);
  const stepMs = Math.min(((toMs - fromMs) / 2) * direction, Math.max(nowMs - toMs, 0));
  return toRange(fromMs + stepMs, toMs + stepMs);
}

/** Makes a range of two instants. */
export function toRange(fromMs: number, toMs: number): Range {
  const time = (ms: number) => new Date(Math.round(ms)).toISOString();
  return { from: time(fromMs), to: time(Math.max(toMs, fromMs + SHORTEST_MS)) };
}
