import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** Processes that keep the machine's CPUs busy. */
export interface Load extends Disposable {
  readonly pids: readonly number[];
}

/**
 * Starts processes that keep CPUs busy at this process's priority; resolves when all are running. They end when the load is disposed, and
 * when this process ends in any way, because their channel closes.
 */
export async function startLoad(processes: number): Promise<Load> {
  const program = path.join(import.meta.dirname, 'spin.ts');
  // Without this process's own Node options.
  const children = Array.from({ length: processes }, () => fork(program, { execArgv: [] }));
  await Promise.all(children.map((child) => once(child, 'message')));
  return {
    pids: children.flatMap(({ pid }) => pid ?? []),
    [Symbol.dispose]() {
      for (const child of children) child.kill('SIGKILL');
    },
  };
}
