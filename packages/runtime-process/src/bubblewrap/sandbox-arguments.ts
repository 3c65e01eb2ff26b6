import { dirname } from 'node:path';
import type { MountTarget } from '@berth/contract';
import { isInside } from '../host/is-inside.ts';
import type { Identity } from '../identity/can-reach.ts';
import type { SystemView } from './system-view.ts';

/** A file or folder of the host that is mounted in a sandbox. */
export interface Bind {
  readonly source: string;
  /** Default: the source's own path. Any other target must be one that the mount policy allows. */
  readonly target?: MountTarget;
  readonly isReadOnly: boolean;
}

/** The user namespace that a sandbox is built in, and the user that its program runs as. */
export type SandboxUser =
  /** For a server that is root: bubblewrap enters {@link UserNamespace} and becomes this user. */
  | { readonly kind: 'identity'; readonly identity: Identity; readonly namespaceFd: number }
  /** For a plain user: the sandbox has its own user namespace, in which the program runs as the server's user. */
  | { readonly kind: 'own'; readonly uid: number; readonly gid: number };

/** The settings of one sandbox. */
export interface SandboxOptions {
  readonly view: SystemView;
  /** Paths that are hidden even inside a visible folder. */
  readonly hidden: readonly string[];
  /** Mounted in this order: a later one may be inside an earlier one. */
  readonly binds: readonly Bind[];
  /** Contains `tmp` and `shm`, which become `/tmp` and `/dev/shm`. Mounted writable at its own path. */
  readonly privateFolder: string;
  readonly passwdFile: string;
  /** Name in `/etc` → the file that is mounted there instead of the machine's. */
  readonly etcFiles: Readonly<Record<string, string>>;
  readonly workingFolder: string;
  readonly user: SandboxUser;
  /** Variables that bubblewrap sets for the program only, because bubblewrap's own dynamic linker would obey them. */
  readonly lateEnv: Readonly<Record<string, string>>;
  /** The program makes a session of its own, with its terminal. */
  readonly hasTerminal?: boolean;
  readonly statusFd: number;
  readonly blockFd: number;
  /** Descriptor of the compiled system call filter; undefined: no filter. */
  readonly seccompFd: number | undefined;
}

/**
 * Returns the arguments of bubblewrap before `--`. The sandbox has a new root with the system read-only, private `/tmp`, `/proc` and
 * `/dev`, and `binds`. `/tmp` is on disk, so that its contents count as disk and not as memory.
 *
 * Bubblewrap executes the tenant's program itself, as the tenant's user and without capabilities. No other program inside the sandbox
 * runs with more privileges.
 */
export function sandboxArguments(options: SandboxOptions): string[] {
  const { view, hidden, binds, privateFolder, etcFiles, workingFolder, user, lateEnv, seccompFd } = options;
  return [
    ...userArguments(user),
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try', '--hostname', 'berth'],
    '--die-with-parent',
    ...(options.hasTerminal ? [] : ['--new-session']),
    ...['--json-status-fd', String(options.statusFd), '--block-fd', String(options.blockFd)],
    ...(seccompFd === undefined ? [] : ['--seccomp', String(seccompFd)]),
    ...Object.entries(lateEnv).flatMap(([name, value]) => ['--setenv', name, value]),
    ...view.toArguments(),
    ...hidden
      .filter((path) => view.folders.some((folder) => isInside(path, folder)))
      .flatMap((path) => ['--tmpfs', path]),
    ...Object.entries({ passwd: options.passwdFile, ...etcFiles }).flatMap(([name, file]) => [
      '--ro-bind',
      file,
      `/etc/${name}`,
    ]),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...['--bind', `${privateFolder}/shm`, '/dev/shm'],
    ...['--bind', `${privateFolder}/tmp`, '/tmp', '--dir', '/var', '--symlink', '../tmp', '/var/tmp'],
    ...bindArguments({ source: privateFolder, isReadOnly: false }),
    ...binds.flatMap(bindArguments),
    ...['--chdir', workingFolder],
  ];
}

/** Returns the sandbox user of a server that isn't root. */
export function ownUser(): SandboxUser {
  return { kind: 'own', uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
}

/** Makes the mount's parent with `--dir`: parents that bubblewrap makes on its own are closed to everyone but root. */
function bindArguments({ source, target: mountTarget, isReadOnly }: Bind): string[] {
  const target = mountTarget ?? source;
  return ['--dir', dirname(target), isReadOnly ? '--ro-bind' : '--bind', source, target];
}

function userArguments(user: SandboxUser): string[] {
  const [how, { uid, gid }] =
    user.kind === 'own' ? [['--unshare-user'], user] : [['--userns', String(user.namespaceFd)], user.identity];
  return [...how, '--uid', String(uid), '--gid', String(gid), '--cap-drop', 'ALL'];
}
