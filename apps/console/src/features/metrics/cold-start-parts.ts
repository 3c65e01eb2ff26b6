import type { ColdStartParts, MetricsPoint } from '@berth/contract';

/** The parts of a cold start, in their order. */
export const COLD_START_PARTS = [
  'queued',
  'scheduled',
  'spawned',
  'port_open',
  'first_byte',
] as const satisfies readonly (keyof ColdStartParts)[];

export interface MeanColdStart {
  readonly count: number;
  readonly totalMs: number;
  /** Mean milliseconds of each. */
  readonly parts: ColdStartParts;
}

/** The mean of all cold starts of some points, of which each has that of its own; undefined when there was none. */
export function meanColdStart(points: readonly MetricsPoint[]): MeanColdStart | undefined {
  const parts = { queued: 0, scheduled: 0, spawned: 0, port_open: 0, first_byte: 0 };
  const count = points.reduce((sum, point) => sum + (point.cold_start_ms ? point.cold_starts : 0), 0);
  if (count === 0) return undefined;
  for (const { cold_starts: starts, cold_start_ms: own } of points) {
    for (const part of COLD_START_PARTS) parts[part] += ((own?.[part] ?? 0) * starts) / count;
  }
  return { count, totalMs: COLD_START_PARTS.reduce((sum, part) => sum + parts[part], 0), parts };
}
