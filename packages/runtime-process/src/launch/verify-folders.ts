import { statSync } from 'node:fs';
import type { Clock } from '@berth/kit';
import type { VerifiedFolder } from './launch-spec.ts';

const POLL_MS = 1;
const GIVE_UP_MS = 2_000;

/**
 * Makes sure that a sandbox shows the folders that were checked and not what a tenant swapped them for in between.
 * `pid` is the sandbox's first process, which waits: its root is looked into, once all is mounted.
 * @throws Error naming the folder that is another one.
 */
export async function verifyFolders(
  pid: number,
  folders: readonly VerifiedFolder[],
  isOver: () => boolean,
  clock: Clock,
): Promise<void> {
  const deadline = clock.monotonicMs() + GIVE_UP_MS;
  for (const folder of folders) {
    while (!isSame(pid, folder)) {
      if (isOver()) return;
      // Mounting takes some ms: until then the folder is missing, or is the empty one that is mounted upon.
      if (clock.monotonicMs() > deadline) throw new Error(`what is mounted at ${folder.target} was replaced meanwhile`);
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
