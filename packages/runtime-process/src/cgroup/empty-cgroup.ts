import type { Clock } from '@berth/kit';
import type { Cgroup } from './cgroup.ts';

const TRIES = 500;
const WAIT_MS = 10;

/** Ends all that is in a group, five seconds long at most, and removes it. */
export async function emptyCgroup(group: Cgroup, clock: Clock): Promise<void> {
  // A frozen process is not ended before it is thawed.
  group.setFrozen(false);
  for (let left = TRIES; left > 0 && group.pids().length > 0; left--) {
    group.kill();
    await clock.sleep(WAIT_MS);
  }
  await group.remove();
}
