/** How a spawned program ended. */
export interface ProgramExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** False when it is sure that its own code never ran. */
  readonly wasExecuted: boolean;
}

/** A program that was spawned, as the two ways to confine one see it. */
export interface SpawnedProgram {
  /**
   * Settles when it is under its limits. True: it waits for {@link release}, and nothing of its own code has run. False:
   * it may be running already. Rejects when it is refused to run; then it was ended.
   */
  readonly held: Promise<boolean>;
  /** Lets it go, once: true when its own code was seen to run, false when it was over before. Rejects as `held` does. */
  release(): Promise<boolean>;
  /** Never rejects. Others of its processes may live on. */
  readonly exit: Promise<ProgramExit>;
  /** Its processes, without those that only confine it. */
  pids(): readonly number[];
  /** To each of its processes. */
  signal(signal: NodeJS.Signals): void;
  /** SIGKILL to all that is known of it. Called again until {@link pids} is empty. */
  kill(): void;
}

/** What `setpriv`, `env`, `nice` exit with when they can't execute what follows (POSIX, env). */
export function isNotExecutedCode(code: number | null): boolean {
  return code === 126 || code === 127;
}
