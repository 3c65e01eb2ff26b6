import { readFileSync } from 'node:fs';
import type { EngineFacts } from '../engine/open-engine.ts';

/** Storage drivers that always enforce a size. Source: docs.docker.com, `docker run --storage-opt`. */
const ABLE = new Set(['btrfs', 'zfs']);

/** Returns whether an engine's storage driver can limit the size of a container. */
export function holdsDiskQuota({ storageDriver, rootFolder }: EngineFacts): boolean {
  if (ABLE.has(storageDriver)) return true;
  return storageDriver === 'overlay2' && hasProjectQuota(rootFolder, readFileSync('/proc/self/mounts', 'utf8'));
}

/**
 * Returns whether a folder is on XFS with project quotas, which the mount option pquota turns on.
 * @param mounts Text of /proc/mounts: device, mount point, type, options. Source: proc_pid_mounts(5).
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
