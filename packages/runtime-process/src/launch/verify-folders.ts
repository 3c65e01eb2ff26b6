import { statSync } from 'node:fs';
import type { Clock } from '@berth/kit';
import type { VerifiedFolder } from './launch-spec.ts';

const POLL_MS = 1;
const GIVE_UP_MS = 2_000;

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
  const deadline = clock.monotonicMs() + GIVE_UP_MS;
  for (const folder of folders) {
    while (!isSame(pid, folder)) {
      if (isOver()) return;
      // Mounting takes some milliseconds. Until then the folder is missing, or it is the empty mount point.
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
