import { existsSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { makeFolder } from '../host/make-folder.ts';
import { copyEtc } from './copy-etc.ts';
import type { UserNamespace } from './user-namespace.ts';

/** The part of the machine that every sandbox sees, read-only. */
export type SystemView = Awaited<ReturnType<typeof createSystemView>>;

/** Folders of programs and libraries. On most systems the others are symlinks into `/usr`; `/nix/store` is for NixOS. */
export const PROGRAM_FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store'] as const;

/**
 * Creates the system view. `/etc` is one mount of a copy instead of forty mounts of files, each of which adds 0.15 ms to every start
 * (measured).
 * @param folder A folder of the server, which holds the copy.
 */
export async function createSystemView(folder: string) {
  await makeFolder(folder, 0o755);
  const etc = await copyEtc(folder);
  const folders = PROGRAM_FOLDERS.filter((path) => existsSync(path));
  const fixed = folders.flatMap((path) =>
    lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path],
  );
  return {
    /** Host folders that are visible at their own path. */
    folders: [...folders, '/etc'],
    /** Returns the arguments for bubblewrap. Call it for each start, because `/etc/resolv.conf` may move. */
    toArguments: (): string[] => [...fixed, '--ro-bind', etc, '/etc', ...resolverArguments()],
    /** Returns a string that changes when `/etc/resolv.conf` is replaced: sandboxes that exist keep the old file mounted. */
    state: resolverState,
  };
}

/** Mounts the real file, because `/etc/resolv.conf` may be a symlink into `/run`, which a sandbox doesn't have. */
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

/** The parts that every sandbox on this machine is built from. */
export interface SandboxParts {
  /** Path of `bwrap`. */
  readonly bubblewrap: string;
  /** Path of the compiled system call filter; undefined where this machine can't use it. */
  readonly seccompFilter: string | undefined;
  readonly view: SystemView;
  /** Returns the path of the `/etc/passwd` for sandboxes of a user. */
  readonly passwdFileOf: (uid: number | undefined) => string;
  /** Given when this server is root. */
  readonly userNamespace: UserNamespace | undefined;
}
