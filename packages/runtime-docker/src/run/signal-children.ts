import { readFileSync } from 'node:fs';
import { findContainerProcesses } from './container-processes.ts';

/**
 * Sends SIGTERM to the processes of a container that its engine doesn't: an engine tells the first one only, and an init
 * process passes it on to the program, its child. Where this server may not signal them, they learn nothing until the end.
 */
export function signalChildren(firstPid: number, hasInit: boolean): void {
  for (const pid of findContainerProcesses(firstPid)) {
    if (pid === firstPid || (hasInit && parentOf(pid) === firstPid)) continue;
    try {
      process.kill(pid, 'SIGTERM');
    } catch {
      // Gone, or not ours to signal.
    }
  }
}

/** Source: proc_pid_status(5), `PPid`. */
function parentOf(pid: number): number | undefined {
  try {
    const found = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return found === undefined ? undefined : Number(found);
  } catch {
    return undefined;
  }
}
