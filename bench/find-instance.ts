import { readFileSync } from 'node:fs';
import { findProcesses } from '../tests/harness/processes.ts';

/** The processes of a service's instances, and the loopback port of one of them. */
export interface FoundInstance {
  readonly pids: readonly number[];
  readonly port: number;
}

/** Finds what runs for the service `name` by its environment. @throws Error when nothing does. Needs /proc. */
export function findInstance(name: string): FoundInstance {
  const pids = findProcesses(`K_SERVICE=${name}`).map((one) => one.pid);
  for (const pid of pids) {
    const port = /(?:^|\0)PORT=(\d+)/.exec(readFileSync(`/proc/${pid}/environ`, 'latin1'))?.[1];
    if (port !== undefined) return { pids, port: Number(port) };
  }
  throw new Error(`no instance of ${name} runs`);
}
