import type { InstanceLifecycle } from '../instances/instance-lifecycle.ts';
import type { GatewayPolicy } from '../port/gateway-policy.ts';
import type { Fleet } from './fleet.ts';

/** What a tick makes of the instances that serve nothing. */
export interface IdleOptions {
  readonly fleet: Pick<Fleet, 'idle' | 'suspended'>;
  readonly lifecycle: Pick<InstanceLifecycle, 'drain' | 'suspend'>;
  readonly policy: Pick<GatewayPolicy, 'idleTimeoutMs' | 'suspendAfterMs'>;
  /** How many to stop, longest idle first. */
  readonly stop: number;
  readonly nowMs: number;
}

/** Stops so many of the idle instances, and the suspended ones at the idle timeout; suspends others that have been idle for long enough. */
export function settleIdle({ fleet, lifecycle, policy, stop, nowMs }: IdleOptions): void {
  const { idleTimeoutMs, suspendAfterMs } = policy;
  const { idle, suspended } = fleet;
  for (const instance of idle.slice(0, stop)) {
    lifecycle.drain(instance, nowMs - instance.idleSinceMs >= idleTimeoutMs ? 'idle' : 'scale_down', 0);
  }
  for (const instance of suspended) {
    if (nowMs - instance.idleSinceMs >= idleTimeoutMs) lifecycle.drain(instance, 'idle', 0);
  }
  if (suspendAfterMs === 0) return;
  for (const instance of idle.slice(stop)) {
    if (nowMs - instance.idleSinceMs >= suspendAfterMs) lifecycle.suspend(instance);
  }
}
