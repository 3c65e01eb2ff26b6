import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** Cores by what runs on them: what is measured has one to itself, what makes and answers its load has the other. */
export const CORES = { target: 0, load: 1 } as const;

/** Counted once: a process that is kept to one core has only that one available. */
const CORE_COUNT = availableParallelism();

/**
 * Keeps a process, its threads and what it starts from now on to one core.
 * False when the machine has but one, or lacks `taskset` (util-linux).
 */
export function pinProcess(pid: number, core: number): boolean {
  if (CORE_COUNT < 2) return false;
  return spawnSync('taskset', ['-a', '-c', '-p', String(core), String(pid)], { stdio: 'ignore' }).status === 0;
}
