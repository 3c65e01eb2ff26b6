import type { GatewayPolicy } from '../port/gateway-policy.ts';

/** Requests an instance is meant to serve at once: 60 % of C, but never less than one. */
export function targetLoad(concurrency: number, policy: Pick<GatewayPolicy, 'targetUseRatio'>): number {
  return Math.max(1, policy.targetUseRatio * concurrency);
}

/**
 * How many instances a load asks for, before any bound.
 *
 * @param load requests in flight and waiting; a mean of a window may be fractional.
 */
export function wantedInstances(
  load: number,
  concurrency: number,
  policy: Pick<GatewayPolicy, 'targetUseRatio'>,
): number {
  return Math.ceil(load / targetLoad(concurrency, policy));
}
