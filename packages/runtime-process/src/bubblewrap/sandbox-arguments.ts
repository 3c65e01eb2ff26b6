import { dirname } from 'node:path';
import { isInside } from '../host/is-inside.ts';
import type { SystemView } from './system-view.ts';

/** A file or folder of the host that a sandbox shows. */
export interface Bind {
  readonly source: string;
  readonly target: string;
  readonly isReadOnly: boolean;
}

export interface SandboxOptions {
  readonly view: SystemView;
  /** Never shown, even where they lie in a folder that is. */
  readonly hidden: readonly string[];
  /** In this order: a later one may lie in an earlier one. */
  readonly binds: readonly Bind[];
  /** Holds `tmp` and `shm`, which become `/tmp` and `/dev/shm`. Shown at its own path, writable. */
  readonly privateFolder: string;
  readonly passwdFile: string;
  readonly workingFolder: string;
  /** This process is root: the program changes its user itself, which takes a few capabilities. */
  readonly isRoot: boolean;
  readonly statusFd: number;
  readonly blockFd: number;
}

/**
 * The arguments of bubblewrap before `--`: a fresh root that holds the system read-only, private `/tmp`, `/proc` and
 * `/dev`, and `binds`. The network is the host's: services call out. `/tmp` is on disk, so that what is written to
 * it counts as disk and not as memory.
 */
export function sandboxArguments(options: SandboxOptions): string[] {
  const { view, hidden, binds, privateFolder, passwdFile, workingFolder, isRoot, statusFd, blockFd } = options;
  return [
    ...(isRoot ? ROOT_ARGUMENTS : ['--unshare-user']),
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try', '--hostname', 'berth'],
    ...['--die-with-parent', '--new-session'],
    ...['--json-status-fd', String(statusFd), '--block-fd', String(blockFd)],
    ...view.toArguments(),
    ...hidden
      .filter((path) => view.folders.some((folder) => isInside(path, folder)))
      .flatMap((path) => ['--tmpfs', path]),
    ...['--ro-bind', passwdFile, '/etc/passwd'],
    ...['--proc', '/proc', '--dev', '/dev'],
    ...['--bind', `${privateFolder}/shm`, '/dev/shm'],
    ...['--bind', `${privateFolder}/tmp`, '/tmp', '--dir', '/var', '--symlink', '../tmp', '/var/tmp'],
    ...bindArguments({ source: privateFolder, target: privateFolder, isReadOnly: false }),
    ...binds.flatMap(bindArguments),
    ...['--chdir', workingFolder],
  ];
}

/** Folders above a mount that bubblewrap makes by itself are closed to all but root; those it is told to make are not. */
function bindArguments({ source, target, isReadOnly }: Bind): string[] {
  return ['--dir', dirname(target), isReadOnly ? '--ro-bind' : '--bind', source, target];
}

const ROOT_ARGUMENTS = [
  ...['--cap-drop', 'ALL'],
  ...['--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID', '--cap-add', 'CAP_SETPCAP'],
  // To enter the working folder, which is the service's own.
  ...['--cap-add', 'CAP_DAC_READ_SEARCH'],
];
