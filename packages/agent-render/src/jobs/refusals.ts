import type { Clock } from '@berth/kit';
import { RenderError } from '../renderer/renderer.ts';

/** A cache of permanent failures, so that repeated requests fail at once. */
export interface Refusals {
  /** Checks a key. @throws RenderError as it was added, while it is cached. */
  check(key: string): void;
  /** Caches a permanent failure; ignores other errors. */
  add(key: string, error: RenderError): void;
}

const KEPT = 500;
/** Longer than a page retries, and shorter than a machine stays overloaded. */
const KEPT_MS = 600_000;

/** Creates an empty cache of failures. */
export function createRefusals(clock: Clock): Refusals {
  const refusals = new Map<string, { readonly message: string; readonly untilMs: number }>();
  return {
    check(key) {
      const found = refusals.get(key);
      if (!found) return;
      if (found.untilMs > clock.monotonicMs()) throw new RenderError(found.message, { isLasting: true });
      refusals.delete(key);
    },
    add(key, { message, isLasting }) {
      if (!isLasting) return;
      const oldest = refusals.keys().next().value;
      if (refusals.size >= KEPT && oldest !== undefined) refusals.delete(oldest);
      refusals.set(key, { message, untilMs: clock.monotonicMs() + KEPT_MS });
    },
  };
}
