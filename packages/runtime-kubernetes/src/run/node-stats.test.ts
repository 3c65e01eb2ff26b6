import { expect, it } from 'vitest';
import { parseResourceMetrics } from './node-stats.ts';

it('reads the usage of Pods, and of nothing else', () => {
  const usage = parseResourceMetrics(`# HELP pod_cpu_usage_seconds_total [STABLE] Cumulative cpu time
# TYPE pod_cpu_usage_seconds_total counter
container_cpu_usage_seconds_total{container="service",namespace="berth-a",pod="shop-1"} 9 1700000000000
pod_cpu_usage_seconds_total{namespace="berth-a",pod="shop-1"} 1.25 1700000000000
pod_cpu_usage_seconds_total{namespace="berth-b",pod="shop-1"} 2e-3 1700000000000
pod_memory_working_set_bytes{namespace="berth-a",pod="shop-1"} 4.194304e+06 1700000000000
node_cpu_usage_seconds_total 77
`);
  expect(Object.fromEntries(usage)).toEqual({
    'berth-a/shop-1': { cpuMs: 1_250, memoryBytes: 4_194_304 },
    'berth-b/shop-1': { cpuMs: 2, memoryBytes: 0 },
  });
});
