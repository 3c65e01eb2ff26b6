import type { GatewayPolicy } from '../port/gateway-policy.ts';

/** What the choice looks at. */
export interface Loadable {
  /** n: requests it serves now. */
  readonly inFlight: number;
}

/**
 * The ready instance that takes the next request, or undefined when none has a slot.
 * Below the targeted use the most loaded one is packed, so that the others can go idle; when all are above it, the load
 * is evened out; with few slots each (C ≤ 3) the oldest one with a slot takes it.
 *
 * @param ready the candidates, oldest first; the older wins a tie.
 * @param concurrency C.
 */
export function chooseInstance<Instance extends Loadable>(
  ready: readonly Instance[],
  concurrency: number,
  policy: Pick<GatewayPolicy, 'targetUseRatio' | 'smallConcurrency'>,
): Instance | undefined {
  if (concurrency <= policy.smallConcurrency) {
    for (const instance of ready) if (instance.inFlight < concurrency) return instance;
    return undefined;
  }
  const packedBelow = Math.ceil(policy.targetUseRatio * concurrency);
  let most: Instance | undefined;
  let least: Instance | undefined;
  for (const instance of ready) {
    const { inFlight } = instance;
    if (inFlight < packedBelow) {
      if (most === undefined || inFlight > most.inFlight) most = instance;
    } else if (inFlight < concurrency && (least === undefined || inFlight < least.inFlight)) {
      least = instance;
    }
  }
  return most ?? least;
}
