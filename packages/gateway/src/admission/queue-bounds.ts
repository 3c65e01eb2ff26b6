import type { GatewayPolicy } from '../port/gateway-policy.ts';

/** How many requests may wait: 10·C places for each instance there is or will be, 10,000 at most. */
export function queuePlaces(
  concurrency: number,
  readyAndStarting: number,
  policy: Pick<GatewayPolicy, 'queuePlacesPerSlot' | 'queuePlacesMax'>,
): number {
  return Math.min(policy.queuePlacesPerSlot * concurrency * Math.max(1, readyAndStarting), policy.queuePlacesMax);
}

/** What a deadline is computed from. */
export interface WaitObservation {
  /** When the request's headers were in. */
  readonly arrivedAtMs: number;
  /** Arrival plus the service's timeout. */
  readonly timeoutAtMs: number;
  /** A: the mean start time. */
  readonly meanStartMs: number;
  /**
   * Age of the oldest start under way while nothing is ready, else 0. It counts as a start time: a start that already
   * took longer than the mean says more than the mean does, so a cold service is waited for until its start ends.
   */
  readonly coldStartAgeMs: number;
}

/** Until when a request may wait for a slot. */
export function queueDeadlineMs(
  { arrivedAtMs, timeoutAtMs, meanStartMs, coldStartAgeMs }: WaitObservation,
  policy: Pick<GatewayPolicy, 'queueWaitMinMs' | 'queueWaitStartRatio'>,
): number {
  const startMs = Math.max(meanStartMs, coldStartAgeMs);
  return Math.min(arrivedAtMs + Math.max(policy.queueWaitMinMs, policy.queueWaitStartRatio * startMs), timeoutAtMs);
}
