import type { BerthError, Clock } from '@berth/kit';
import type { Engine } from '../engine/open-engine.ts';

/** Options of {@link untilEngineIsBack}. */
export interface UntilEngineIsBackOptions {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Deadline of the build, on the clock's monotonic scale. */
  readonly deadlineMs: number;
  /** Thrown when the engine doesn't come back. */
  readonly cause: BerthError;
}

/** Maximum wait. A restart of an engine with its containers takes some ten seconds. */
const PATIENCE_MS = 60_000;
const INTERVAL_MS = 500;

/**
 * Waits until the engine responds again.
 * @throws `cause` after a minute, at the deadline, or when `signal` is aborted.
 */
export async function untilEngineIsBack({ engine, clock, signal, deadlineMs, cause }: UntilEngineIsBackOptions) {
  const endMs = Math.min(deadlineMs, clock.monotonicMs() + PATIENCE_MS);
  while (clock.monotonicMs() < endMs && !signal.aborted) {
    const isBack = await engine.docker.ping().then(
      () => true,
      () => false,
    );
    if (isBack) return;
    await clock.sleep(INTERVAL_MS, signal).catch(() => {});
  }
  throw cause;
}
