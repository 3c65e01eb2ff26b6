import { readFileSync, statSync } from 'node:fs';
import { type ProcessInfo, readProcesses } from '@berth/runtime/drivers';

/** The facts by which all processes of a program are found. */
export interface ProgramTrace {
  /** The spawned process, which led its own group and session. Absent when it wasn't recorded in time. */
  readonly leader?: Leader | undefined;
  /** A folder of this program only: a process with its path in the environment belongs to the program. */
  readonly folder: string;
  /** When given, the environment of other users' processes isn't searched. */
  readonly uid?: number | undefined;
}

/** A process identified by pid and start time, because a pid alone may be reused. */
export interface Leader {
  readonly pid: number;
  readonly startTicks: number;
}

/**
 * Returns all living processes of a program: its group and session, their descendants, and processes that left them (a daemon that forked
 * twice and started its own session) but still have the program's folder in their environment.
 */
export function findMembers(trace: ProgramTrace, processes: readonly ProcessInfo[] = readProcesses()): ProcessInfo[] {
  const { leader } = trace;
  const members = new Map<number, ProcessInfo>();
  const add = (info: ProcessInfo): void => void members.set(info.pid, info);
  const living = processes.filter((info) => info.state !== 'Z' && info.pid !== process.pid);

  if (leader && !isReused(leader, processes)) {
    for (const info of living) {
      if (info.pid === leader.pid || info.group === leader.pid || info.session === leader.pid) add(info);
    }
  }
  addDescendants(members, living);
  for (const info of living) {
    if (
      !members.has(info.pid) &&
      (trace.uid === undefined || userOf(info.pid) === trace.uid) &&
      carriesFolder(info.pid, trace.folder)
    )
      add(info);
  }
  addDescendants(members, living);
  return [...members.values()];
}

/** Returns the living descendants of `pid`. For the first process of a pid namespace these are all other processes in it. */
export function findDescendants(pid: number, processes: readonly ProcessInfo[] = readProcesses()): ProcessInfo[] {
  const members = new Map<number, ProcessInfo>();
  const root = processes.find((info) => info.pid === pid);
  if (!root) return [];
  members.set(pid, root);
  addDescendants(members, processes);
  members.delete(pid);
  return [...members.values()].filter((info) => info.state !== 'Z');
}

/** Returns whether the leader's pid belongs to another process. A pid isn't reused while a group or session has its number. */
function isReused(leader: Leader, processes: readonly ProcessInfo[]): boolean {
  return processes.some((info) => info.pid === leader.pid && info.startTicks !== leader.startTicks);
}

function addDescendants(members: Map<number, ProcessInfo>, processes: readonly ProcessInfo[]): void {
  for (let grew = members.size > 0; grew; ) {
    grew = false;
    for (const info of processes) {
      if (members.has(info.parentPid) && !members.has(info.pid)) {
        members.set(info.pid, info);
        grew = true;
      }
    }
  }
}

function carriesFolder(pid: number, folder: string): boolean {
  try {
    // The working folder isn't checked, because an operator's shell may be in it.
    const environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
    return environment.includes(`=${Buffer.from(folder).toString('latin1')}/`);
  } catch {
    // The process has ended, or belongs to a user whose processes can't be read, so it isn't part of the program.
    return false;
  }
}

/** Returns the living processes that run as one of these users. */
export function findProcessesOfUsers(
  userIds: ReadonlySet<number>,
  processes: readonly ProcessInfo[] = readProcesses(),
): ProcessInfo[] {
  if (userIds.size === 0) return [];
  return processes.filter((info) => info.state !== 'Z' && userIds.has(userOf(info.pid) ?? -1));
}

function userOf(pid: number): number | undefined {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid;
}

/** Sends a signal to a process, or to the process group `-pid`. Does nothing when it has ended. */
export function trySignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended.
  }
}
