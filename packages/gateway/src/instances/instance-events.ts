import type { BerthError } from '@berth/kit';
import type { InstanceExit } from '@berth/runtime';
import type { InstanceSource, RevisionTarget, StopReason } from '../port/gateway.ts';
import type { InstanceContext } from './instance-context.ts';
import type { ServiceInstance } from './service-instance.ts';

/** Emits the events of one revision's instances. */
export interface InstanceEvents {
  started(instance: ServiceInstance): void;
  ready(instance: ServiceInstance, startMs: number): void;
  suspended(instance: ServiceInstance): void;
  resumed(instance: ServiceInstance, resumeMs: number): void;
  unhealthy(instance: ServiceInstance, message: string): void;
  startFailed(instance: ServiceInstance, error: BerthError, exit: InstanceExit | undefined): void;
  stopped(instance: ServiceInstance, reason: StopReason, exit: InstanceExit): void;
  crashed(instance: ServiceInstance, exit: InstanceExit): void;
  /** Emits the billable time since the last call; nothing when there is none. */
  billed(instance: ServiceInstance): void;
  ended(instance: ServiceInstance): void;
}

export function createInstanceEvents(
  { clock, events }: Pick<InstanceContext, 'clock' | 'events'>,
  target: RevisionTarget,
): InstanceEvents {
  const common = (instance: ServiceInstance): InstanceSource & { readonly timeMs: number } => ({
    account: target.account,
    deployment: target.deployment,
    revision: target.revision,
    instance: instance.id,
    timeMs: clock.nowMs(),
  });
  return {
    started: (instance) => events.onInstance({ ...common(instance), kind: 'started', reason: instance.reason }),
    ready: (instance, startMs) => events.onInstance({ ...common(instance), kind: 'ready', startMs }),
    suspended: (instance) => events.onInstance({ ...common(instance), kind: 'suspended' }),
    resumed: (instance, resumeMs) => events.onInstance({ ...common(instance), kind: 'resumed', resumeMs }),
    unhealthy: (instance, message) => events.onInstance({ ...common(instance), kind: 'unhealthy', message }),
    startFailed: (instance, { message }, exit) =>
      events.onInstance({
        ...common(instance),
        kind: 'start_failed',
        message,
        ...(exit === undefined ? {} : { exit }),
      }),
    stopped: (instance, reason, exit) => events.onInstance({ ...common(instance), kind: 'stopped', reason, exit }),
    crashed: (instance, exit) => events.onInstance({ ...common(instance), kind: 'crashed', exit }),
    billed(instance) {
      const billableMs = instance.billable.take(clock.monotonicMs());
      if (billableMs === 0) return;
      const { memoryBytes, cpuMillis } = target;
      events.onInstance({ ...common(instance), kind: 'billed', billableMs, memoryBytes, cpuMillis });
    },
    ended: (instance) => events.onInstance({ ...common(instance), kind: 'ended' }),
  };
}
