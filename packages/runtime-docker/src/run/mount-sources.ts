import { constants, statSync } from 'node:fs';
import { type FileHandle, open, readlink } from 'node:fs/promises';
import path from 'node:path';
import { createError } from '@berth/contract';
import type { Mount } from '@berth/runtime';

/** A volume's folder, as it was found. */
export interface MountSource {
  readonly mount: Mount;
  /** Device and inode. */
  readonly identity: string;
}

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Images run as users of their own: whoever has the volume may write it. Its folder lies where nobody else gets at it. */
const SHARED_MODE = 0o777;

/**
 * Looks at the folders of volumes. What lies in a volume is the tenant's, and a symlink on the way to a `sub_path` would
 * lead the engine, which is root, anywhere.
 * @throws BerthError `start_failed` naming the volume that can't be mounted.
 */
export function openMountSources(mounts: readonly Mount[]): Promise<MountSource[]> {
  return Promise.all(
    mounts.map(async (mount) => {
      await using folder = await openSource(mount);
      const { dev, ino, mode } = await folder.stat();
      // A folder of somebody else's was opened to all by whoever made it, or is not to be.
      if (!mount.isReadOnly && (mode & 0o777) !== SHARED_MODE) await folder.chmod(SHARED_MODE).catch(() => {});
      return { mount, identity: `${dev}:${ino}` };
    }),
  );
}

/**
 * The volumes that a container has and that are not the folders that were looked at: somebody swapped them in between.
 *
 * @param pid of a process of the container; where it can't be looked into, none is found.
 */
export function findSwapped(sources: readonly MountSource[], pid: number): Mount[] {
  return sources.flatMap(({ mount, identity }) => {
    try {
      const { dev, ino } = statSync(path.join(`/proc/${pid}/root`, mount.target));
      return `${dev}:${ino}` === identity ? [] : [mount];
    } catch {
      return [];
    }
  });
}

async function openSource(mount: Mount): Promise<FileHandle> {
  const folder = await open(mount.source, FOLDER).catch(() => {
    throw refuse(mount, 'its folder is not there, or is a symlink');
  });
  const real = await readlink(`/proc/self/fd/${folder.fd}`);
  if (real === mount.source) return folder;
  await folder.close();
  throw refuse(mount, 'the way to its folder leads through a symlink');
}

/** The error of a volume that is not mounted. */
export function refuse({ target }: Mount, why: string) {
  return createError('start_failed', `The volume for ${target} can not be mounted: ${why}.`);
}
