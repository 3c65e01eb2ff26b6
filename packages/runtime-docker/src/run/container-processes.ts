import { readFileSync } from 'node:fs';
import { type ListeningSocket, parseListeners } from '@berth/runtime';

/** Docker's name server inside a container. Source: libnetwork, resolver.go. */
const ENGINE_RESOLVER = '127.0.0.11';

/**
 * What listens in the network of a process: all of a container, since it has one of its own.
 *
 * @param pid of any process of the container, as this machine counts.
 */
export function findListeners(pid: number): ListeningSocket[] {
  return ['tcp', 'tcp6']
    .flatMap((table) => parseListeners(readProc(pid, `net/${table}`)))
    .filter(({ address }) => address !== ENGINE_RESOLVER);
}

/** When a process was started, in ticks since boot: with its id it names it for good. Undefined when it is gone. */
export function startTicks(pid: number): string | undefined {
  const stat = readProc(pid, 'stat');
  // The name stands in parentheses and may hold any of them: fields count from the last one. Source: proc_pid_stat(5).
  return stat === '' ? undefined : stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

/**
 * Whether the init process of a container has executed the program: until then its child's command line is its own.
 * Undefined where processes of others can't be looked at.
 */
export function hasExecuted(initPid: number): boolean | undefined {
  const own = readProc(initPid, 'cmdline');
  // It has ended, or nobody but its own user may look.
  if (own === '') return readProc(1, 'stat') === '' ? undefined : false;
  const [child = ''] = readProc(initPid, `task/${initPid}/children`).split(' ');
  if (child === '') return false;
  const command = readProc(Number(child), 'cmdline');
  return command !== '' && command !== own;
}

/** All processes of a container, from its control group; empty where it can't be looked at. */
export function findContainerProcesses(pid: number): number[] {
  const groups = readProc(pid, 'cgroup')
    .trim()
    .split('\n')
    .map((line) => line.split(':'));
  // Version 1: `4:memory:/docker/ID`; version 2: `0::/system.slice/docker-ID.scope`. Source: cgroups(7).
  for (const [, controllers = '', path = ''] of groups) {
    if (controllers !== '' && controllers !== 'memory') continue;
    const folder = controllers === '' ? '/sys/fs/cgroup' : '/sys/fs/cgroup/memory';
    const pids = readIfThere(`${folder}${path}/cgroup.procs`).split('\n').filter(Boolean).map(Number);
    // Never a group that holds more than the container.
    if (path !== '/' && path !== '' && pids.includes(pid)) return pids;
  }
  return [];
}

function readProc(pid: number, name: string): string {
  return readIfThere(`/proc/${pid}/${name}`);
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
