import type { GatewayPolicy } from '../port/gateway-policy.ts';

/** Returns how many requests may wait: 10·C for each instance that is ready or starting, at most 10,000. */
export function queuePlaces(
  concurrency: number,
  readyAndStarting: number,
  policy: Pick<GatewayPolicy, 'queuePlacesPerSlot' | 'queuePlacesMax'>,
): number {
  return Math.min(policy.queuePlacesPerSlot * concurrency * Math.max(1, readyAndStarting), policy.queuePlacesMax);
}

/** The input of {@link queueDeadlineMs}. */
export interface WaitObservation {
  /** When the request's headers were complete. */
  readonly arrivedAtMs: number;
  /** Arrival plus the service's timeout. */
  readonly timeoutAtMs: number;
  /** A: the mean time that a start takes. */
  readonly meanStartMs: number;
  /**
   * Age of the oldest start under way while no instance is ready, else 0. It counts as a start time: a start that has already
   * taken longer than the mean predicts better than the mean does.
   */
  readonly coldStartAgeMs: number;
}

/** Returns the time until which a request may wait for a slot. */
export function queueDeadlineMs(
  { arrivedAtMs, timeoutAtMs, meanStartMs, coldStartAgeMs }: WaitObservation,
  policy: Pick<GatewayPolicy, 'queueWaitMinMs' | 'queueWaitStartRatio'>,
): number {
  const startMs = Math.max(meanStartMs, coldStartAgeMs);
  return Math.min(arrivedAtMs + Math.max(policy.queueWaitMinMs, policy.queueWaitStartRatio * startMs), timeoutAtMs);
}
