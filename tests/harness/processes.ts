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

// A process may end between the listing and the look at it.
function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
