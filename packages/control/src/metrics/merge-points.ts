import type { MetricsPoint } from '@berth/contract';
import type { ResourceUsage } from './resource-usage-store.ts';

/** The requests of a step, as returned by SQL. */
export interface ServedStep extends Omit<MetricsPoint, 'time' | 'cpu_seconds' | 'memory_bytes' | 'memory_max_bytes'> {
  readonly start_ms: number;
}

/** Joins requests and resource use of the same steps, oldest first. */
export function mergePoints(served: readonly ServedStep[], used: readonly ResourceUsage[]): MetricsPoint[] {
  const points = new Map<number, MetricsPoint>();
  for (const { start_ms: startMs, ...step } of served) {
    points.set(startMs, { time: timeOf(startMs), ...step, ...NOT_USED });
  }
  for (const { startMs, cpuMs, instanceMs, memoryByteMs, memoryMaxBytes, instances } of used) {
    const point = points.get(startMs) ?? { time: timeOf(startMs), ...NOT_SERVED };
    points.set(startMs, {
      ...point,
      instances: Math.max(point.instances, instances),
      cpu_seconds: Math.round(cpuMs) / 1_000,
      memory_bytes: instanceMs === 0 ? 0 : Math.round(memoryByteMs / instanceMs),
      memory_max_bytes: memoryMaxBytes,
    });
  }
  return [...points].sort(([a], [b]) => a - b).map(([, point]) => point);
}

/** To the second, as SQL writes whole seconds. */
function timeOf(epochMs: number): string {
  return new Date(epochMs).toISOString().replace('.000Z', 'Z');
}

const NOT_USED = { cpu_seconds: 0, memory_bytes: 0, memory_max_bytes: 0 };
const NOT_SERVED = {
  requests: 0,
  errors: 0,
  p50_ms: 0,
  p95_ms: 0,
  p99_ms: 0,
  instances: 0,
  cold_starts: 0,
  cold_start_ms: null,
};
