import { readdirSync, readFileSync } from 'node:fs';

/** A process of this machine. */
export interface FoundProcess {
  readonly pid: number;
  readonly command: string;
}

/**
 * Every process whose command line or environment holds `marker`: a service is found by `K_SERVICE=<name>`, a server by
 * its data folder. Zombies don't count. Needs /proc.
 */
export function findProcesses(marker: string): FoundProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      const command = readProc(name, 'cmdline').replaceAll('\0', ' ').trim();
      const isIt = command.includes(marker) || readProc(name, 'environ').split('\0').includes(marker);
      return isIt ? [{ pid: Number(name), command }] : [];
    });
}

/** Those of {@link findProcesses} that the process `pid` has started itself. */
export function findChildren(pid: number, marker: string): FoundProcess[] {
  // proc_pid_stat(5): the parent is the second field after the name, which is in brackets and may hold anything.
  const parentOf = (child: number) => Number(readProc(String(child), 'stat').split(') ').at(-1)?.split(' ')[1]);
  return findProcesses(marker).filter((one) => parentOf(one.pid) === pid);
}

/**
 * Sends SIGKILL to every process that {@link findProcesses} finds. One that ended since it was listed is skipped: a
 * sandbox takes its service with it.
 */
export function killProcesses(marker: string): void {
  for (const { pid } of findProcesses(marker)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

// A process may end between the listing and the look at it.
function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
