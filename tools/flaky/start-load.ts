import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** Processes that keep the machine's CPUs busy. */
export interface Load extends Disposable {
  readonly pids: readonly number[];
}

/**
 * Starts processes that compute without a pause, at the priority of this one; resolves when all of them do. They end when the load is
 * disposed of, and when this process ends in whatever way: their channel to it is closed then.
 */
export async function startLoad(processes: number): Promise<Load> {
  const program = path.join(import.meta.dirname, 'spin.ts');
  // Without this process's own options, which may not suit another program.
  const children = Array.from({ length: processes }, () => fork(program, { execArgv: [] }));
  await Promise.all(children.map((child) => once(child, 'message')));
  return {
    pids: children.flatMap(({ pid }) => pid ?? []),
    [Symbol.dispose]() {
      for (const child of children) child.kill('SIGKILL');
    },
  };
}
