/** How a spawned program ended. */
export interface ProgramExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** False when the program's own code certainly never ran. */
  readonly wasExecuted: boolean;
}

/** A spawned program. Implemented with and without a sandbox. */
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
