/** What a revision has and needs. */
export interface StartObservation {
  /** From {@link wantedInstances}. */
  readonly wanted: number;
  /** Instances that serve or will: starting, ready, or being resumed. */
  readonly serving: number;
  /** Every instance that still exists, the draining ones too: what max_instances bounds (I2). */
  readonly existing: number;
  readonly ready: number;
  readonly starting: number;
  /** Frozen instances: thawed before any is started. */
  readonly suspended: number;
  /** 0: no maximum of its own. */
  readonly maxInstances: number;
  /** Brought up whatever the load. */
  readonly minInstances: number;
  /** f: failed starts in a row. */
  readonly failures: number;
  /** No start before this. */
  readonly nextStartAtMs: number;
}

/** How many to thaw and to start now; `retryAtMs` when backoff forbids what is needed. */
export interface StartDecision {
  readonly resume: number;
  readonly start: number;
  readonly retryAtMs?: number;
}

/** How many instances to bring up now. The machine's own bounds (memory, simultaneous starts) come after. */
export function decideStarts(seen: StartObservation, nowMs: number): StartDecision {
  const missing = Math.max(0, Math.max(seen.wanted, seen.minInstances) - seen.serving);
  const resume = Math.min(missing, seen.suspended);
  const capacity = seen.maxInstances === 0 ? Number.POSITIVE_INFINITY : seen.maxInstances - seen.existing;
  const start = Math.max(0, Math.min(missing - resume, capacity));
  if (start === 0) return { resume, start };
  if (nowMs < seen.nextStartAtMs) return { resume, start: 0, retryAtMs: seen.nextStartAtMs };
  // A revision that does not start is tried with one instance at a time.
  if (seen.failures > 0 && seen.ready === 0) return { resume, start: seen.starting > 0 ? 0 : 1 };
  return { resume, start };
}
