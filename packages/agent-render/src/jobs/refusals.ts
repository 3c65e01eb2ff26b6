import type { Clock } from '@berth/kit';
import { RenderError } from '../renderer/renderer.ts';

/** Documents that can't be rendered, so that who asks again is told at once. */
export interface Refusals {
  /** @throws RenderError as it was added, while it is remembered. */
  check(key: string): void;
  /** Remembers what is lasting. */
  add(key: string, error: RenderError): void;
}

const KEPT = 500;
/** Longer than a page asks again; shorter than a machine is slow. */
const KEPT_MS = 600_000;

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
