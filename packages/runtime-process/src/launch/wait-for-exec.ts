import { statSync } from 'node:fs';
import type { Clock } from '@berth/kit';

const POLL_MS = 1;
/** After this time, on a very busy machine, the program counts as executed. If it wasn't, its exit reports that. */
const GIVE_UP_MS = 5_000;

/**
 * Waits until the process of `pid()` executes a program other than `wrappers`, and returns true; or false when `isOver` returns true first.
 * Polls `/proc/<pid>/exe`, because the kernel has no event for this.
 * @param wrappers Files as {@link identifyFile} returns them.
 */
export async function waitForExec(
  pid: () => number | undefined,
  wrappers: ReadonlySet<string>,
  isOver: () => boolean,
  clock: Clock,
): Promise<boolean> {
  const deadline = clock.monotonicMs() + GIVE_UP_MS;
  while (!isOver()) {
    const current = pid();
    const file = current === undefined ? undefined : identifyFile(`/proc/${current}/exe`);
    if (file !== undefined && !wrappers.has(file)) return true;
    if (clock.monotonicMs() > deadline) return true;
    await clock.sleep(POLL_MS);
  }
  return false;
}

/** Returns the device and inode of a file, following symlinks, or undefined when it can't be read (yet). */
export function identifyFile(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}
