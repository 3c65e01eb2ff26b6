import { availableParallelism } from 'node:os';
import type { InstanceContext } from './instance-context.ts';
import type { InstanceEvents } from './instance-events.ts';
import type { ServiceInstance } from './service-instance.ts';

/**
 * Tells what an instance used since it was last measured, or since its program was started. Never rejects: one that has
 * ended meanwhile says nothing, and what it used since the last time is not known.
 */
export async function measureInstance(
  { clock }: Pick<InstanceContext, 'clock'>,
  events: InstanceEvents,
  instance: ServiceInstance,
): Promise<void> {
  const { handle, measured } = instance;
  if (handle === null) return;
  const nowMs = clock.monotonicMs();
  const stats = await handle.stats().catch(() => undefined);
  // Another reading was under way and is the newer one.
  if (stats === undefined || instance.measured !== measured) return;
  const spanMs = nowMs - (measured?.atMs ?? instance.spawnedAtMs ?? nowMs);
  const sinceMs = stats.cpuMs - (measured?.cpuMs ?? 0);
  // More than the machine can give was used under an earlier server. Less than nothing: processes of it ended, and their time with them.
  const cpuMs = sinceMs > spanMs * CPUS + CLOCK_SLACK_MS ? 0 : Math.max(0, sinceMs);
  const { memoryBytes } = stats;
  const cpuMillis = spanMs > 0 ? Math.round((cpuMs / spanMs) * 1_000) : 0;
  instance.measured = { atMs: nowMs, cpuMs: stats.cpuMs, cpuMillis, memoryBytes };
  if (spanMs > 0) events.emit(instance, { kind: 'measured', spanMs, cpuMs, memoryBytes });
}

const CPUS = availableParallelism();
/** The kernel counts CPU in ticks of 10 ms, for each CPU. */
const CLOCK_SLACK_MS = 10 * CPUS;
