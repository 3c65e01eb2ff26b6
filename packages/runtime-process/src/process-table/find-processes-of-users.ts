import { statSync } from 'node:fs';
import { type ProcessInfo, readProcesses } from './read-processes.ts';

/** Returns the living processes that run as one of these users. */
export function findProcessesOfUsers(
  userIds: ReadonlySet<number>,
  processes: readonly ProcessInfo[] = readProcesses(),
): ProcessInfo[] {
  if (userIds.size === 0) return [];
  return processes.filter((info) => info.state !== 'Z' && userIds.has(userOf(info.pid) ?? -1));
}

function userOf(pid: number): number | undefined {
  try {
    return statSync(`/proc/${pid}`).uid;
  } catch {
    return undefined;
  }
}
