import { statSync } from 'node:fs';
import { type FileHandle, readlink } from 'node:fs/promises';
import path from 'node:path';
import { createError } from '@berth/contract';
import type { Mount } from '@berth/runtime';
import { openFolder, shareWithGroup } from '@berth/runtime/files';
import { UNPRIVILEGED } from './container-user.ts';

/** A volume's folder, as it was found. */
export interface MountSource {
  readonly mount: Mount;
  /** Device and inode. */
  readonly identity: string;
}

/** Owns the volumes; every container that has one is in it. Of the images that Berth builds, or of a server that is not root. */
export function volumeGroup(): number {
  const own = process.getgid?.() ?? 0;
  return process.getuid?.() === 0 ? UNPRIVILEGED.gid : own;
}

/**
 * Looks at the folders of volumes. What lies in a volume is the tenant's, and a symlink on the way to a `sub_path` would
 * lead the engine, which is root, anywhere.
 * @throws BerthError `start_failed` naming the volume that can't be mounted.
 */
export function openMountSources(mounts: readonly Mount[]): Promise<MountSource[]> {
  const isRoot = process.getuid?.() === 0;
  return Promise.all(
    mounts.map(async (mount) => {
      await using folder = await openSource(mount);
      if (isRoot) await shareWithGroup(folder, mount.source, volumeGroup());
      const { dev, ino, uid, mode } = await folder.stat();
      // A server that is not root can't give it to a group that is not its own; nobody else gets at where it lies.
      if (!isRoot && uid === process.getuid?.()) await folder.chmod((mode & 0o7777) | 0o2777);
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
  const folder = await openFolder(mount.source);
  if (!folder) throw refuse(mount, 'its folder is not there, or is a symlink');
  const real = await readlink(`/proc/self/fd/${folder.fd}`);
  if (real === mount.source) return folder;
  await folder.close();
  throw refuse(mount, 'the way to its folder leads through a symlink');
}

/** The error of a volume that is not mounted. */
export function refuse({ target }: Mount, why: string) {
  return createError('start_failed', `The volume for ${target} can not be mounted: ${why}.`);
}
