import type { Clock } from '@berth/kit';
import { hasExecuted } from './container-processes.ts';

const POLL_MS = 1;
/** Maximum wait where processes of other users can't be read. */
const BLIND_MS = 100;
/** After this time, on a very busy machine, the program counts as executed. If it wasn't, its exit reports that. */
const GIVE_UP_MS = 5_000;

/** Waits until the init process of a container has executed its program, or `isOver` returns true. Polls, as there is no event for this. */
export async function awaitExecution(initPid: number, isOver: () => boolean, clock: Clock): Promise<void> {
  const begunMs = clock.monotonicMs();
  while (!isOver()) {
    const seen = hasExecuted(initPid);
    const waitedMs = clock.monotonicMs() - begunMs;
    if (seen === true || waitedMs > (seen === undefined ? BLIND_MS : GIVE_UP_MS)) return;
    await clock.sleep(POLL_MS);
  }
}
