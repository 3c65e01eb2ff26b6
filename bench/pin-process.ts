import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** Cores by what runs on them: what is measured has one to itself, what makes and answers its load has the other. */
export const CORES = { target: 0, load: 1 } as const;

/**
 * Keeps a process, its threads and what it starts from now on to one core.
 * False when the machine has but one, or lacks `taskset` (util-linux).
 */
export function pinProcess(pid: number, core: number): boolean {
  if (availableParallelism() < 2) return false;
  return spawnSync('taskset', ['-a', '-c', '-p', String(core), String(pid)], { stdio: 'ignore' }).status === 0;
}
