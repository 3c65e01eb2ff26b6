import type { RevisionTarget } from '../port/gateway.ts';
import type { GatewayPolicy } from '../port/gateway-policy.ts';

/** How long requests of a replaced revision may go on: their own timeout, 10 minutes at most. */
export function drainMs(target: Pick<RevisionTarget, 'timeoutMs'>, policy: Pick<GatewayPolicy, 'drainMaxMs'>): number {
  return Math.min(target.timeoutMs, policy.drainMaxMs);
}
