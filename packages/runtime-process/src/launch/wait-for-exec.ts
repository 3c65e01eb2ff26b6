import { statSync } from 'node:fs';
import type { Clock } from '@berth/kit';

const POLL_MS = 1;
/** A machine so busy that this passes: the program is taken as executed; if it was not, its exit says so. */
const GIVE_UP_MS = 5_000;

/**
 * True as soon as the process of `pid()` runs a program that is none of `wrappers` (each as {@link identifyFile} has it);
 * false when `isOver` before that was seen. There is no event for it: the file behind `/proc/<pid>/exe` is looked at.
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

/** Device and inode of a file, symlinks followed; undefined when it can't be looked at (yet). */
export function identifyFile(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}
