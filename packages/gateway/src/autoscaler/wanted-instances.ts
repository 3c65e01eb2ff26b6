import type { GatewayPolicy } from '../port/gateway-policy.ts';

/** Returns the target of concurrent requests for an instance: 60 % of C, at least 1. */
export function targetLoad(concurrency: number, policy: Pick<GatewayPolicy, 'targetUseRatio'>): number {
  return Math.max(1, policy.targetUseRatio * concurrency);
}

/**
 * Returns how many instances a load needs, before any bound.
 *
 * @param load requests in flight and queued; fractional for the mean of a window.
 */
export function wantedInstances(
  load: number,
  concurrency: number,
  policy: Pick<GatewayPolicy, 'targetUseRatio'>,
): number {
  return Math.ceil(load / targetLoad(concurrency, policy));
}
