import type { Clock } from '@berth/kit';
import { hasExecuted } from './container-processes.ts';

const POLL_MS = 1;
/** Where processes of others can't be looked at, this is how long that is tried. */
const BLIND_MS = 100;
/** A machine so busy that this passes: the program is taken as executed; if it was not, its exit says so. */
const GIVE_UP_MS = 5_000;

/** Waits until the init process of a container has executed its program, or `isOver`: there is no event for it. */
export async function awaitExecution(initPid: number, isOver: () => boolean, clock: Clock): Promise<void> {
  const begunMs = clock.monotonicMs();
  while (!isOver()) {
    const seen = hasExecuted(initPid);
    const waitedMs = clock.monotonicMs() - begunMs;
    if (seen === true || waitedMs > (seen === undefined ? BLIND_MS : GIVE_UP_MS)) return;
    await clock.sleep(POLL_MS);
  }
}
