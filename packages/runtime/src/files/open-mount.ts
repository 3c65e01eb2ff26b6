import { type FileHandle, readlink, realpath } from 'node:fs/promises';
import { platform } from 'node:os';
import { createError } from '@berth/contract';
import type { BerthError } from '@berth/kit';
import type { Mount } from '../runtime.ts';
import { openFolder } from './walk-tree.ts';

/**
 * Opens a volume's folder and verifies its real path through the descriptor, because another service that uses the volume can add symlinks
 * to it at any moment, which would lead a server that is root anywhere.
 * @throws BerthError `start_failed` when the folder is missing, or its path contains a symlink.
 */
export async function openMount(mount: Mount): Promise<FileHandle> {
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
export function refuseMount({ target }: Mount, why: string): BerthError {
  return createError('start_failed', `The volume for ${target} can't be mounted: ${why}.`);
}
