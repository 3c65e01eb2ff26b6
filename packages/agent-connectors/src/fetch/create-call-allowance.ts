import type { ConnectorCallStore, OwnerKey } from '@berth/agent-store';
import { createError } from '@berth/contract';
import { AGENT_LIMITS } from '@berth/contract/agent';
import { type Clock, createSingleFlight } from '@berth/kit';

/** The rate limit on calls of connectors. */
export type CallAllowance = ReturnType<typeof createCallAllowance>;

interface Window {
  readonly beganAtMs: number;
  /** Calls counted by all instances at this instance's last count. */
  readonly total: number;
  /** Calls that this instance has counted but not made yet. */
  left: number;
}

const LIMIT = AGENT_LIMITS.connectorCallsPerMinute;
const WINDOW_MS = 60_000;
/**
 * Calls counted at a time, since each count waits for the disk. An idle instance withholds at most this many calls from
 * the others.
 */
const BLOCK = 20;
/**
 * Number of remaining calls below which calls are counted one at a time, so that all instances stop at the same total.
 */
const COUNTED_SINGLY = 2 * BLOCK;
/** Number of windows at which expired ones are removed. */
const MANY_WINDOWS = 10_000;

/**
 * Creates the rate limit: 240 calls per minute for each user and connector, across all instances. Source:
 * docs/contract/agent-api.md §8.
 */
export function createCallAllowance(store: ConnectorCallStore, clock: Clock) {
  const windows = new Map<string, Window>();
  const flight = createSingleFlight<void>();
  const isOver = ({ beganAtMs }: Window, nowMs: number) => Math.abs(nowMs - beganAtMs) >= WINDOW_MS;
  const current = (key: string, nowMs: number) => {
    const window = windows.get(key);
    return window && !isOver(window, nowMs) ? window : undefined;
  };
  const reserve = async (key: string, owner: OwnerKey, connector: string) => {
    const nowMs = clock.nowMs();
    const { total } = current(key, nowMs) ?? { total: undefined };
    const calls = total !== undefined && total + BLOCK <= LIMIT - COUNTED_SINGLY ? BLOCK : 1;
    const counted = await store.count(owner, connector, { nowMs, windowMs: WINDOW_MS, calls });
    const left = Math.max(0, Math.min(calls, LIMIT - (counted.calls - calls)));
    if (windows.size >= MANY_WINDOWS) {
      for (const [old, window] of windows) if (isOver(window, nowMs)) windows.delete(old);
    }
    windows.set(key, { beganAtMs: counted.beganAtMs, total: counted.calls, left });
  };
  return {
    /** Takes one call. @throws `too_many_requests` with the seconds until the next window. */
    async take(owner: OwnerKey, connector: string): Promise<void> {
      const key = `${connector} ${owner}`;
      for (;;) {
        const nowMs = clock.nowMs();
        const window = current(key, nowMs);
        if (window && window.left > 0) {
          window.left--;
          return;
        }
        if (window && window.total >= LIMIT) {
          const retryAfterSeconds = Math.max(1, Math.ceil((window.beganAtMs + WINDOW_MS - nowMs) / 1_000));
          const message = `${LIMIT} calls of ${connector} per minute is the limit. Try again in ${retryAfterSeconds} s.`;
          throw createError('too_many_requests', message, { details: { retryAfterSeconds } });
        }
        await flight.run(key, () => reserve(key, owner, connector));
      }
    },
  };
}
