import type { InstanceChange, RevisionTarget } from '../port/gateway.ts';
import type { InstanceContext } from './instance-context.ts';
import type { ServiceInstance } from './service-instance.ts';

/** Emits the events of one revision's instances. */
export type InstanceEvents = ReturnType<typeof createInstanceEvents>;

export function createInstanceEvents(
  { clock, events }: Pick<InstanceContext, 'clock' | 'events'>,
  { account, deployment, revision, memoryBytes, cpuMillis }: RevisionTarget,
) {
  const emit = (instance: ServiceInstance, change: InstanceChange): void => {
    const source = { account, deployment, revision, instance: instance.id };
    events.onInstance({ ...source, timeMs: clock.nowMs(), ...change });
  };
  return {
    emit,
    /** Emits the billable time since the last call; nothing when there is none. */
    billed(instance: ServiceInstance): void {
      const billableMs = instance.billable.take(clock.monotonicMs());
      if (billableMs > 0) emit(instance, { kind: 'billed', billableMs, memoryBytes, cpuMillis });
    },
  };
}
