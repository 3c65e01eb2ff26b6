import type { ChildProcess } from 'node:child_process';
import type { Clock } from '@berth/kit';
import type { Cgroup } from '../cgroup/cgroup.ts';
import type { Leader } from '../process-table/find-members.ts';
import type { Spawn } from './create-spawn.ts';

/** Standard input, output and error of a program. */
export type ProgramStdio = readonly [number | 'pipe' | 'ignore', number | 'pipe', number | 'pipe'];

/** Dependencies of spawning a program, with and without a sandbox. */
export interface SpawnOptions {
  /** The program with its arguments; without a sandbox, after the wrappers that limit it. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly stdio: ProgramStdio;
  readonly cgroup: Cgroup | undefined;
  /** Files of the wrappers, as `identifyFile` returns them. */
  readonly wrappers: ReadonlySet<string>;
  readonly onSpawned: (leader: Leader) => void;
  readonly spawn: Spawn;
  readonly clock: Clock;
}

/** How a spawned program ended. */
export interface ProgramExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** False when the program's own code certainly never ran. */
  readonly wasExecuted: boolean;
}

/** A spawned program. */
export interface SpawnedProgram {
  /**
   * Settles when the program is under its limits. True: it waits for {@link release}, and its own code hasn't run. False: it may be
   * running already. Rejects when the program must not run; it was ended then.
   */
  readonly held: Promise<boolean>;
  /** Starts the program. Call it once. True: its own code was seen to run. False: it ended before. Rejects as `held` does. */
  release(): Promise<boolean>;
  /** Resolves when the main process has exited; other processes may still run. Never rejects. */
  readonly exit: Promise<ProgramExit>;
  /** Returns the program's processes, without the ones that confine it. */
  pids(): readonly number[];
  /** Sends a signal to each of its processes. */
  signal(signal: NodeJS.Signals): void;
  /** Sends SIGKILL to all known processes. Call it again until {@link pids} is empty. */
  kill(): void;
}

/** Returns whether `setpriv`, `env` and `nice` exit with this code when they can't execute the next program (POSIX, env). */
export function isNotExecutedCode(code: number | null): boolean {
  return code === 126 || code === 127;
}

/** Resolves when a child has exited. Code and signal are both null when spawning failed. Never rejects. */
export function waitForExit(
  child: ChildProcess,
): Promise<{ readonly code: number | null; readonly signal: string | null }> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.once('error', () => {
      if (child.pid === undefined) resolve({ code: null, signal: null });
    });
  });
}

/** Runs `work`, which puts a program under its limits, and kills the program when that fails. The caller may not be waiting yet. */
export function hold(work: () => Promise<boolean>, kill: () => void): Promise<boolean> {
  const held = work().catch((error: unknown) => {
    kill();
    throw error;
  });
  held.catch(() => {});
  return held;
}
