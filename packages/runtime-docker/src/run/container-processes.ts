import { type ListeningSocket, parseListeners } from '@berth/runtime';
import { readProcess } from '@berth/runtime/drivers';
import { readIfThere } from '@berth/runtime/files';

/** Docker's name server inside a container. Source: libnetwork, resolver.go. */
const ENGINE_RESOLVER = '127.0.0.11';

/**
 * Returns the listening sockets of a container, which has its own network.
 * @param pid Any process of the container, in this machine's pid namespace; 0 when it has ended.
 */
export function findListeners(pid: number): ListeningSocket[] {
  if (pid === 0) return [];
  return ['tcp', 'tcp6']
    .flatMap((table) => parseListeners(readProc(pid, `net/${table}`)))
    .filter(({ address }) => address !== ENGINE_RESOLVER);
}

/**
 * Returns whether the init process of a container has executed the program: until then its child has the same command line as itself.
 * Undefined where processes of other users can't be read.
 */
export function hasExecuted(initPid: number): boolean | undefined {
  const own = readProc(initPid, 'cmdline');
  // The process has ended, or only its own user may read it.
  if (own === '') return readProc(1, 'stat') === '' ? undefined : false;
  const [child = ''] = readProc(initPid, `task/${initPid}/children`).split(' ');
  if (child === '') return false;
  const command = readProc(Number(child), 'cmdline');
  return command !== '' && command !== own;
}

/**
 * Sends SIGTERM to the processes of a container that its engine doesn't: an engine tells the first one only, and an init
 * process passes it on to the program, its child. Where this server may not signal them, they learn nothing until the end.
 */
export function signalChildren(firstPid: number, hasInit: boolean): void {
  for (const pid of findContainerProcesses(firstPid)) {
    if (pid === firstPid || (hasInit && readProcess(pid)?.parentPid === firstPid)) continue;
    try {
      process.kill(pid, 'SIGTERM');
    } catch {
      // Gone, or not ours to signal.
    }
  }
}

/** Returns all processes of a container, from its control group; none where that can't be read. */
export function findContainerProcesses(pid: number): number[] {
  for (const [controller, root] of [
    ['memory', '/sys/fs/cgroup/memory'],
    ['', '/sys/fs/cgroup'],
  ] as const) {
    const path = findGroupPath(pid, controller);
    // The root group would contain more than the container.
    if (path === undefined || path === '/') continue;
    const pids = readIfThere(`${root}${path}/cgroup.procs`).split('\n').filter(Boolean).map(Number);
    if (pids.includes(pid)) return pids;
  }
  return [];
}

/**
 * Returns the path of a process's control group in a hierarchy: that of a controller in version 1, the only one of version 2 for an
 * empty name. Source: cgroups(7): `4:memory:/docker/ID`, `0::/system.slice/docker-ID.scope`.
 */
export function findGroupPath(pid: number, controller: string): string | undefined {
  const lines = readProc(pid, 'cgroup').trim().split('\n');
  const [, , path] = lines.map((line) => line.split(':')).find(([, name]) => name === controller) ?? [];
  return path || undefined;
}

function readProc(pid: number, name: string): string {
  return readIfThere(`/proc/${pid}/${name}`);
}
