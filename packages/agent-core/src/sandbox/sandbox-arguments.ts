import { existsSync, lstatSync, readlinkSync } from 'node:fs';

/** Programs and libraries; on most systems all but the first are symlinks into it. */
const PROGRAM_FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/nix/store'];
/** What programs look up in `/etc`: no users, no secrets, no network. */
const ETC = ['/etc/alternatives', '/etc/ld.so.cache', '/etc/ld.so.conf', '/etc/ld.so.conf.d', '/etc/localtime'];
/** Of `/tmp`, and of `/dev/shm`: they are memory. */
const SCRATCH_BYTES = String(256 * 1_048_576);
/** Inside, whoever runs the agent. */
const USER = '1000';

/** Where the workspace is, for a command. */
export const INSIDE = '/workspace';

/**
 * The arguments of bubblewrap before the command: a fresh root with the system read-only, the workspace to write in, an
 * empty `/tmp`, no network, no other processes, no capability, none of the agent's environment.
 * @param folder the workspace; absolute.
 * @param hasProc false where the kernel lets nobody mount a `/proc` of his own: inside another sandbox that hides parts of
 * its own. Then there is none, and never the one outside.
 * @param readable more folders of the system to be read, those of them that are there.
 */
export function sandboxArguments(
  folder: string,
  hasProc: boolean,
  readable: readonly string[] = [],
): readonly string[] {
  const programs = PROGRAM_FOLDERS.filter((path) => existsSync(path)).flatMap((path) =>
    lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path],
  );
  return [
    ...['--unshare-user', '--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...['--uid', USER, '--gid', USER, '--hostname', 'sandbox', '--die-with-parent', '--new-session'],
    ...['--cap-drop', 'ALL', '--clearenv'],
    ...['--setenv', 'PATH', '/usr/local/bin:/usr/bin:/bin', '--setenv', 'HOME', '/tmp', '--setenv', 'LANG', 'C.UTF-8'],
    ...programs,
    ...[...ETC, ...readable].flatMap((path) => ['--ro-bind-try', path, path]),
    ...(hasProc ? ['--proc', '/proc'] : ['--dir', '/proc']),
    ...['--dev', '/dev', '--size', SCRATCH_BYTES, '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
    ...['--size', SCRATCH_BYTES, '--tmpfs', '/tmp', '--bind', folder, INSIDE, '--chdir', INSIDE],
    // What was made to mount on is memory too.
    ...['--remount-ro', '/'],
  ];
}
