import type { InstanceStats } from '@berth/runtime';
import type { Container } from 'dockerode';

/** What an engine counts, the part that is read. Source: Docker Engine API 1.41, ContainerStats. */
interface EngineStats {
  readonly cpu_stats?: { readonly cpu_usage?: { readonly total_usage?: number } };
  readonly memory_stats?: { readonly usage?: number; readonly stats?: Readonly<Record<string, number>> };
}

/** Returns the CPU time of a container and its memory without inactive page cache, which the kernel can reclaim at once. */
export async function readStats(container: Container): Promise<InstanceStats> {
  // Without one-shot the engine waits a second for another look, to tell a rate that nobody asks for.
  const { cpu_stats, memory_stats } = (await container.stats({ stream: false, 'one-shot': true })) as EngineStats;
  const { usage = 0, stats = {} } = memory_stats ?? {};
  // Version 1 of control groups, and version 2.
  const cache = stats['total_inactive_file'] ?? stats['inactive_file'] ?? 0;
  return {
    cpuMs: (cpu_stats?.cpu_usage?.total_usage ?? 0) / 1e6,
    memoryBytes: Math.max(0, usage - cache),
  };
}
