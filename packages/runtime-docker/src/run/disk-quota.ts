import { readFileSync } from 'node:fs';
import type { EngineFacts } from '../engine/open-engine.ts';

/** Storage drivers that always can. Source: docs.docker.com, `docker run --storage-opt`. */
const ABLE = new Set(['btrfs', 'zfs']);

/** Whether the storage driver of an engine on this machine holds a container to a size. */
export function holdsDiskQuota({ storageDriver, rootFolder }: EngineFacts): boolean {
  if (ABLE.has(storageDriver)) return true;
  return storageDriver === 'overlay2' && hasProjectQuota(rootFolder, readFileSync('/proc/self/mounts', 'utf8'));
}

/**
 * Whether a folder lies on XFS that counts projects, which takes the mount option pquota.
 *
 * @param mounts as /proc/mounts has them: device, mount point, type, options. Source: proc_pid_mounts(5).
 */
export function hasProjectQuota(folder: string, mounts: string): boolean {
  const holding = mounts
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, point = '']) => point === '/' || folder === point || folder.startsWith(`${point}/`))
    .toSorted(([, one = ''], [, other = '']) => other.length - one.length)[0];
  const [, , type, options = ''] = holding ?? [];
  return type === 'xfs' && options.split(',').some((option) => option === 'pquota' || option === 'prjquota');
}
