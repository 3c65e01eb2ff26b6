import { type Clock, createSystemClock } from '@berth/kit';

/** A clock whose sleeps take no time but move it on; timers are the machine's. */
export function createScriptedClock(): Clock {
  const system = createSystemClock();
  let nowMs = 0;
  return {
    ...system,
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    sleep: async (delayMs, signal) => {
      signal?.throwIfAborted();
      nowMs += delayMs;
      // A turn of the event loop: a sleep that never lets go would starve the sockets.
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
