import { existsSync, realpathSync } from 'node:fs';
import type { MountPolicy } from '@berth/contract';
import { PROGRAM_FOLDERS } from '../bubblewrap/system-view.ts';

/** System folders, whether or not they exist on this machine or in a sandbox. */
const SYSTEM_FOLDERS = [
  ...['/boot', '/dev', '/etc', '/home', '/nix', '/proc', '/root', '/run', '/sys', '/tmp'],
  ...PROGRAM_FOLDERS,
] as const;

/**
 * Creates the mount policy of services that run as processes. A volume over a folder of programs could replace programs that run before
 * privileges are dropped. So volumes can't be mounted over the system or over `folders`.
 * @param folders The platform's own: its data, its work root, and the toolchains that sandboxes show.
 */
export function createMountPolicy(folders: readonly string[]): MountPolicy {
  const named = [...SYSTEM_FOLDERS, ...folders];
  // A symlink such as /lib is a symlink in the sandbox too, so a volume at its target would be visible through it.
  const targets = named.filter((path) => existsSync(path)).map((path) => realpathSync(path));
  return {
    reserved: [...new Set([...named, ...targets])],
    partial: { '/var': ['/var/lib', '/var/www'] },
  };
}
