import { statSync } from 'node:fs';
import type { Clock } from '@berth/kit';
import type { VerifiedFolder } from './launch-spec.ts';

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

const VERIFY_GIVE_UP_MS = 2_000;

/**
 * Waits until a sandbox shows the folders that were checked, as a tenant may have swapped them before they were mounted.
 * @param pid The sandbox's first process, which waits at the gate. Its root directory is inspected.
 * @throws Error naming the replaced folder, after two seconds.
 */
export async function verifyFolders(
  pid: number,
  folders: readonly VerifiedFolder[],
  isOver: () => boolean,
  clock: Clock,
): Promise<void> {
  const deadline = clock.monotonicMs() + VERIFY_GIVE_UP_MS;
  for (const folder of folders) {
    while (!isSame(pid, folder)) {
      if (isOver()) return;
      // Mounting takes some milliseconds. Until then the folder is missing, or it is the empty mount point.
      if (clock.monotonicMs() > deadline)
        throw new Error(`the mount at ${folder.target} was replaced during the start`);
      await clock.sleep(POLL_MS);
    }
  }
}

function isSame(pid: number, { target, device, inode }: VerifiedFolder): boolean {
  try {
    const stats = statSync(`/proc/${pid}/root${target}`);
    return stats.dev === device && stats.ino === inode;
  } catch {
    return false;
  }
}
