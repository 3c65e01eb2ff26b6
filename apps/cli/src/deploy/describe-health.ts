import type { HealthCheck } from '@berth/contract';

/** A health check in a line: `/healthz every 10s, 5s each at most`. */
export function describeHealth(health: HealthCheck | null): string {
  return health ? `${health.path} every ${health.interval}s, ${health.timeout}s each at most` : 'none';
}
