import type { RevisionTarget } from '../port/gateway.ts';
import type { GatewayPolicy } from '../port/gateway-policy.ts';

/** Returns how long requests of a replaced revision may continue: the request timeout, at most 10 minutes. */
export function drainMs(target: Pick<RevisionTarget, 'timeoutMs'>, policy: Pick<GatewayPolicy, 'drainMaxMs'>): number {
  return Math.min(target.timeoutMs, policy.drainMaxMs);
}
