import type { GatewayPolicy } from '../port/gateway-policy.ts';

/** The part of an instance that {@link chooseInstance} reads. */
export interface Loadable {
  /** n: requests that the instance serves now. */
  readonly inFlight: number;
}

/**
 * Returns the ready instance that takes the next request, or undefined when none has a slot. Below the target utilization this
 * is the most loaded instance, so that the others can become idle; when all are above it, the least loaded one. With few slots
 * (C ≤ 3) it is the oldest instance that has one.
 *
 * @param ready the candidates, oldest first; the older wins a tie.
 * @param concurrency C: slots of an instance.
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
