import type { ColdStartParts, MetricsPoint } from '@berth/contract';

/** Phases of a cold start, in order. */
export const COLD_START_PARTS = [
  'queued',
  'scheduled',
  'spawned',
  'port_open',
  'first_byte',
] as const satisfies readonly (keyof ColdStartParts)[];

/** Mean duration of the cold starts in a time range. */
export interface MeanColdStart {
  readonly count: number;
  readonly totalMs: number;
  /** Mean milliseconds per phase. */
  readonly parts: ColdStartParts;
}

/** Returns the mean over all cold starts, weighting each point by its count; undefined if there were none. */
export function meanColdStart(points: readonly MetricsPoint[]): MeanColdStart | undefined {
  const parts = { queued: 0, scheduled: 0, spawned: 0, port_open: 0, first_byte: 0 };
  const count = points.reduce((sum, point) => sum + (point.cold_start_ms ? point.cold_starts : 0), 0);
  if (count === 0) return undefined;
  for (const { cold_starts: starts, cold_start_ms: own } of points) {
    for (const part of COLD_START_PARTS) parts[part] += ((own?.[part] ?? 0) * starts) / count;
  }
  return { count, totalMs: COLD_START_PARTS.reduce((sum, part) => sum + parts[part], 0), parts };
}
