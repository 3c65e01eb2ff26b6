import { createHash } from 'node:crypto';
import { type Clock, createSingleFlight } from '@berth/kit';

/** A value for a token, and for how long it may be used. */
export interface Remembered<Value> {
  readonly value: Value;
  readonly keepMs: number;
}

/** The maximum number of tokens; each entry takes about a kilobyte. The oldest are dropped. */
const MAX_TOKENS = 10_000;

/**
 * Creates a function that returns the value of a token, from memory or by `load`. Concurrent calls for one token share one
 * `load`; a failed one isn't remembered. Tokens are kept as hashes.
 */
export function createTokenCache<Value>(clock: Clock) {
  const entries = new Map<string, { readonly value: Value; readonly untilMs: number }>();
  const flights = createSingleFlight<Value>();
  return (token: string, load: () => Promise<Remembered<Value>>): Promise<Value> => {
    const key = createHash('sha256').update(token).digest('base64url');
    const found = entries.get(key);
    if (found && clock.monotonicMs() < found.untilMs) return Promise.resolve(found.value);
    return flights.run(key, async () => {
      const { value, keepMs } = await load();
      entries.delete(key);
      if (keepMs > 0) entries.set(key, { value, untilMs: clock.monotonicMs() + keepMs });
      for (const oldest of entries.keys()) {
        if (entries.size <= MAX_TOKENS) break;
        entries.delete(oldest);
      }
      return value;
    });
  };
}
