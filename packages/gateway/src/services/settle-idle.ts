import type { InstanceLifecycle } from '../instances/instance-lifecycle.ts';
import type { GatewayPolicy } from '../port/gateway-policy.ts';
import type { Fleet } from './fleet.ts';

/** Options of {@link settleIdle}. */
export interface IdleOptions {
  readonly fleet: Pick<Fleet, 'idle' | 'suspended'>;
  readonly lifecycle: Pick<InstanceLifecycle, 'drain' | 'suspend'>;
  readonly policy: Pick<GatewayPolicy, 'idleTimeoutMs' | 'suspendAfterMs'>;
  /** The number of instances to stop, longest idle first. */
  readonly stop: number;
  readonly nowMs: number;
}

/** Stops that many idle instances and, at the idle timeout, suspended ones. Suspends others that have been idle for long enough. */
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
