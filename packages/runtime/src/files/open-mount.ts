import { type FileHandle, readlink, realpath } from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';
import { createError } from '@berth/contract';
import type { BerthError } from '@berth/kit';
import type { Mount } from '../runtime.ts';
import { openFolder } from './walk-tree.ts';

/** A volume's folder as a driver on this machine mounts it. */
export interface HostMount extends Pick<Mount, 'target' | 'isReadOnly'> {
  /** Absolute path of the folder. */
  readonly source: string;
  /** No tenant can replace a component of `source`; otherwise the path may change between two lookups. */
  readonly isServerPath: boolean;
}

/** Returns a mount on this machine. @param volumesFolder absolute path of the folder of all volumes. */
export function toHostMount(volumesFolder: string, { volume, subPath, target, isReadOnly }: Mount): HostMount {
  return { source: join(volumesFolder, volume, subPath), target, isReadOnly, isServerPath: subPath === '' };
}

/**
 * Opens a volume's folder and verifies its real path through the descriptor, because another service that uses the volume can add symlinks
 * to it at any moment, which would lead a server that is root anywhere.
 * @throws BerthError `start_failed` when the folder is missing, or its path contains a symlink.
 */
export async function openMount(mount: HostMount): Promise<FileHandle> {
  const { source } = mount;
  const folder = await openFolder(source);
  if (!folder) throw refuseMount(mount, 'its folder does not exist or is a symlink');
  try {
    const real = platform() === 'linux' ? await readlink(`/proc/self/fd/${folder.fd}`) : await realpath(source);
    if (real !== source) throw refuseMount(mount, 'the path to its folder contains a symlink');
    return folder;
  } catch (error) {
    await folder.close();
    throw error;
  }
}

/** Returns the error of a volume that can't be mounted. @param why a clause without a full stop. */
export function refuseMount({ target }: Pick<Mount, 'target'>, why: string): BerthError {
  return createError('start_failed', `The volume for ${target} can't be mounted: ${why}.`);
}
