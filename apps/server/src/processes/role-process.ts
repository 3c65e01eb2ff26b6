import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A process of the platform's own besides the main one. */
export interface RoleProcess {
  readonly child: ChildProcess;
  /** When it has ended: how, in words. Never rejects. */
  readonly ended: Promise<string>;
  /** Ends it at once. */
  kill(): void;
  /** Lets it go: it ends by itself. */
  release(): void;
}

const ENTRIES = { worker: 'worker-main.ts', control: 'control-main.ts' } as const;

/**
 * Starts a process in a role. What it needs to know it is told over its channel: nothing is in its arguments, and of the
 * settings nothing is in its environment, where others of this machine's user could read it. `descriptors` become 4, 5, …
 */
export function startRoleProcess(
  role: keyof typeof ENTRIES,
  environment: Readonly<Record<string, string | undefined>>,
  descriptors: readonly number[] = [],
): RoleProcess {
  const inherited = Object.entries(environment).filter(([name]) => !name.startsWith('BERTH_'));
  const child = fork(fileURLToPath(new URL(ENTRIES[role], import.meta.url)), {
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

/** The first of the `descriptors` of a role's process: after standard input, output, error and the channel. */
export const FIRST_DESCRIPTOR = 4;

/**
 * Makes this process, one with a role, live exactly as long as the main process does. Signals of a terminal go to all processes of
 * it: what they mean is the main process's to say.
 */
export function followMainProcess(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  process.on('disconnect', () => process.exit());
}
