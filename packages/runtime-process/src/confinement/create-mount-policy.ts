import { existsSync, realpathSync } from 'node:fs';
import type { MountPolicy } from '@berth/contract';
import { PROGRAM_FOLDERS } from '../bubblewrap/system-view.ts';

/** Folders of the system besides its programs, whether or not this machine has them or a sandbox shows them. */
const SYSTEM_FOLDERS = [
  ...['/boot', '/dev', '/etc', '/home', '/nix', '/proc', '/root', '/run', '/sys', '/tmp'],
  ...PROGRAM_FOLDERS,
] as const;

/**
 * Makes the policy of services that run as processes. A volume over a folder of programs would replace what runs in the
 * sandbox before privileges are dropped, so volumes stay clear of the system and of `folders`, which are the platform's
 * own: its data, its work root, and the toolchains that sandboxes show.
 */
export function createMountPolicy(folders: readonly string[]): MountPolicy {
  const named = [...SYSTEM_FOLDERS, ...folders];
  // A symlink of the machine, such as /lib, is one in a sandbox too: a volume at its target would be seen through it.
  const targets = named.filter((path) => existsSync(path)).map((path) => realpathSync(path));
  return {
    reserved: [...new Set([...named, ...targets])],
    partial: { '/var': ['/var/lib', '/var/www'] },
  };
}
