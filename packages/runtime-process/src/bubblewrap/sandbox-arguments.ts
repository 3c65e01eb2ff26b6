import { dirname } from 'node:path';
import type { MountTarget } from '@berth/contract';
import { isInside } from '../host/is-inside.ts';
import type { Identity } from '../identity/identity.ts';
import type { SystemView } from './system-view.ts';

/** A file or folder of the host that a sandbox shows. */
export interface Bind {
  readonly source: string;
  /** The source's own path by default; elsewhere only where a policy lets volumes be mounted. */
  readonly target?: MountTarget;
  readonly isReadOnly: boolean;
}

/** How bubblewrap gets the right to build a sandbox, and whom the program in it runs as. */
export type SandboxUser =
  /** A server that is root: bubblewrap enters {@link UserNamespace} and becomes this user. */
  | { readonly kind: 'identity'; readonly identity: Identity; readonly namespaceFd: number }
  /** A plain user: a user namespace of the sandbox's own, in which the program stays who the server is. */
  | { readonly kind: 'own'; readonly uid: number; readonly gid: number };

export interface SandboxOptions {
  readonly view: SystemView;
  /** Never shown, even where they lie in a folder that is. */
  readonly hidden: readonly string[];
  /** In this order: a later one may lie in an earlier one. */
  readonly binds: readonly Bind[];
  /** Holds `tmp` and `shm`, which become `/tmp` and `/dev/shm`. Shown at its own path, writable. */
  readonly privateFolder: string;
  readonly passwdFile: string;
  /** Name in `/etc` → the file that is shown there in place of the machine's own. */
  readonly etcFiles: Readonly<Record<string, string>>;
  readonly workingFolder: string;
  readonly user: SandboxUser;
  /** Variables that only the program may see: the dynamic linker of bubblewrap would heed them. */
  readonly lateEnv: Readonly<Record<string, string>>;
  readonly statusFd: number;
  readonly blockFd: number;
  /** A compiled filter of system calls; undefined: none are filtered. */
  readonly seccompFd: number | undefined;
}

/**
 * The arguments of bubblewrap before `--`: a fresh root that holds the system read-only, private `/tmp`, `/proc` and
 * `/dev`, and `binds`. `/tmp` is on disk, so that what is written to it counts as disk and not as memory.
 *
 * Bubblewrap executes the tenant's program itself, as the tenant's user and without a capability: no program that the
 * sandbox shows ever runs with more.
 */
export function sandboxArguments(options: SandboxOptions): string[] {
  const { view, hidden, binds, privateFolder, etcFiles, workingFolder, user, lateEnv, seccompFd } = options;
  return [
    ...userArguments(user),
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try', '--hostname', 'berth'],
    ...['--die-with-parent', '--new-session'],
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

/** Programs of a plain user's server. */
export function ownUser(): SandboxUser {
  return { kind: 'own', uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
}

/** Folders above a mount that bubblewrap makes by itself are closed to all but root; those it is told to make are not. */
function bindArguments({ source, target: mountTarget, isReadOnly }: Bind): string[] {
  const target = mountTarget ?? source;
  return ['--dir', dirname(target), isReadOnly ? '--ro-bind' : '--bind', source, target];
}

function userArguments(user: SandboxUser): string[] {
  const [how, { uid, gid }] =
    user.kind === 'own' ? [['--unshare-user'], user] : [['--userns', String(user.namespaceFd)], user.identity];
  return [...how, '--uid', String(uid), '--gid', String(gid), '--cap-drop', 'ALL'];
}
