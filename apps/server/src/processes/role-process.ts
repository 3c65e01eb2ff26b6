import { type ChildProcess, fork } from 'node:child_process';

/** A process of the platform besides the main one. */
export interface RoleProcess {
  readonly child: ChildProcess;
  /** Resolves when it has ended, with a description. Never rejects. */
  readonly ended: Promise<string>;
  /** Kills it. */
  kill(): void;
  /** Closes its channel, so that it ends by itself. */
  release(): void;
}

const ENTRIES = {
  worker: new URL('./worker-main.ts', import.meta.url),
  control: new URL('./control-main.ts', import.meta.url),
} as const;

/**
 * Starts a process in a role. It gets its settings over its channel and never in arguments or environment, which other processes of this
 * user could read. `descriptors` become 4, 5, …
 */
export function startRoleProcess(
  role: keyof typeof ENTRIES,
  environment: Readonly<Record<string, string | undefined>>,
  descriptors: readonly number[] = [],
): RoleProcess {
  const inherited = Object.entries(environment).filter(([name]) => !name.startsWith('BERTH_'));
  const child = fork(ENTRIES[role], {
    env: Object.fromEntries(inherited),
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc', ...descriptors],
  });
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
  child.once('error', (error) => resolve(error.message));
  return {
    child,
    ended,
    kill: () => void child.kill('SIGKILL'),
    release: () => {
      if (child.connected) child.disconnect();
    },
  };
}

/** The first of a process's `descriptors`, after standard input, output, error and the channel. */
export const FIRST_DESCRIPTOR = 4;

/**
 * Makes this process end with the main process and ignore the terminal's signals. A terminal signals all its processes; the main
 * process decides what follows.
 */
export function followMainProcess(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  process.on('disconnect', () => process.exit());
}
