import { existsSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { makeFolder } from '../host/make-folder.ts';
import { copyEtc } from './copy-etc.ts';

/** The part of the machine that every sandbox shows, read-only. */
export interface SystemView {
  /** Folders of the host that are seen at their own path. */
  readonly folders: readonly string[];
  /** Arguments for bubblewrap, built anew for each start because `/etc/resolv.conf` may change place. */
  toArguments(): string[];
  /** Changes when what {@link toArguments} shows is replaced: a mounted file stays the one that it was. */
  state(): string;
}

/** Programs and libraries; on most systems all but the first are symlinks into it. The last is NixOS's. */
export const PROGRAM_FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store'] as const;

/**
 * `/etc` is one mount of a copy, not forty mounts of files: each takes 0.15 ms of every start (measured).
 * @param folder The server's own; keeps the copy.
 */
export async function createSystemView(folder: string): Promise<SystemView> {
  await makeFolder(folder, 0o755);
  const etc = await copyEtc(folder);
  const folders = PROGRAM_FOLDERS.filter((path) => existsSync(path));
  const fixed = folders.flatMap((path) =>
    lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path],
  );
  return {
    folders: [...folders, '/etc'],
    toArguments: () => [...fixed, '--ro-bind', etc, '/etc', ...resolverArguments()],
    state: resolverState,
  };
}

/** The file itself, not what is behind a symlink to `/run` that a sandbox does not have. */
function resolverArguments(): string[] {
  try {
    return ['--ro-bind', realpathSync('/etc/resolv.conf'), '/etc/resolv.conf'];
  } catch {
    return [];
  }
}

function resolverState(): string {
  const stats = statSync('/etc/resolv.conf', { throwIfNoEntry: false });
  return stats ? `${stats.dev}:${stats.ino}` : '';
}
