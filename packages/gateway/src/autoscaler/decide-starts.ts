import type { StartReason } from '../port/gateway.ts';

/** The instances of a revision and its load. */
export interface StartObservation {
  /** From {@link wantedInstances}. */
  readonly wanted: number;
  /** Instances that serve or soon will: starting, ready or resuming. */
  readonly serving: number;
  /** Instances that exist, draining ones included: max_instances bounds these (I2). */
  readonly existing: number;
  readonly ready: number;
  readonly starting: number;
  /** Suspended instances, which are resumed before new ones are started. */
  readonly suspended: number;
  /** 0: no maximum. */
  readonly maxInstances: number;
  /** Instances to have, whatever the load. */
  readonly minInstances: number;
  /** f: consecutive failed starts. */
  readonly failures: number;
  /** The earliest time of the next start. */
  readonly nextStartAtMs: number;
}

/** How many instances to resume and to start now; `retryAtMs` is set when backoff delays a start that is needed. */
export interface StartDecision {
  readonly resume: number;
  readonly start: number;
  readonly retryAtMs?: number;
}

/** Returns how many instances to resume and to start now. The host then applies its bounds of capacity and simultaneous starts. */
export function decideStarts(seen: StartObservation, nowMs: number): StartDecision {
  const missing = Math.max(0, Math.max(seen.wanted, seen.minInstances) - seen.serving);
  const resume = Math.min(missing, seen.suspended);
  const capacity = seen.maxInstances === 0 ? Number.POSITIVE_INFINITY : seen.maxInstances - seen.existing;
  const start = Math.max(0, Math.min(missing - resume, capacity));
  if (start === 0) return { resume, start };
  if (nowMs < seen.nextStartAtMs) return { resume, start: 0, retryAtMs: seen.nextStartAtMs };
  // A revision whose starts fail is started one instance at a time.
  if (seen.failures > 0 && seen.ready === 0) return { resume, start: seen.starting > 0 ? 0 : 1 };
  return { resume, start };
}

/** Returns the reason of the starts that {@link decideStarts} asks for. */
export function startReason(seen: {
  readonly wanted: number;
  readonly serving: number;
  /** The last instance to end crashed, and none has become ready since. */
  readonly isAfterCrash: boolean;
}): StartReason {
  const isLoad = seen.wanted > seen.serving;
  if (isLoad && seen.serving > 0) return 'scale_up';
  if (seen.isAfterCrash) return 'restart_after_crash';
  return isLoad ? 'request' : 'min_instances';
}
