import { readFileSync, statSync } from 'node:fs';
import { type ProcessInfo, readProcesses } from './read-processes.ts';

/** What is known of a program that was started, to find all of its processes by. */
export interface ProgramTrace {
  /** The process that was spawned: it led its own group and session. Absent when it was not noted in time. */
  readonly leader?: Leader | undefined;
  /** A folder of this program alone: a process that has it in its environment belongs to the program. */
  readonly folder: string;
  /** When given, processes of other users are never looked at. */
  readonly uid?: number | undefined;
}

/** A process and the moment it began: a pid alone may be another process's by now. */
export interface Leader {
  readonly pid: number;
  readonly startTicks: number;
}

/**
 * All processes of a program that live: its group and session, what descends from those, and what left them (a daemon
 * that forked twice and made its own session) but still carries the program's folder in its environment.
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
    if (!members.has(info.pid) && isOwnedBy(info.pid, trace.uid) && carriesFolder(info.pid, trace.folder)) add(info);
  }
  addDescendants(members, living);
  return [...members.values()];
}

/** The processes below `pid`, without it: of a process that is the first of its pid namespace, all that are in there. */
export function findDescendants(pid: number, processes: readonly ProcessInfo[] = readProcesses()): ProcessInfo[] {
  const members = new Map<number, ProcessInfo>();
  const root = processes.find((info) => info.pid === pid);
  if (!root) return [];
  members.set(pid, root);
  addDescendants(members, processes);
  members.delete(pid);
  return [...members.values()].filter((info) => info.state !== 'Z');
}

/** A pid stays taken while a group or session has its number, so only a living process can show that it changed hands. */
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

function isOwnedBy(pid: number, uid: number | undefined): boolean {
  try {
    return uid === undefined || statSync(`/proc/${pid}`).uid === uid;
  } catch {
    return false;
  }
}

function carriesFolder(pid: number, folder: string): boolean {
  try {
    // By its environment and not by its working folder: an operator's shell may have gone there to look.
    const environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
    return environment.includes(`=${Buffer.from(folder).toString('latin1')}/`);
  } catch {
    // Gone, or of a user whose processes this one may not look into: then it is not ours either.
    return false;
  }
}
