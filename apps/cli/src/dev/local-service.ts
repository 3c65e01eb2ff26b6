import { type ChildProcess, spawn } from 'node:child_process';
import { connect } from 'node:net';
import type { Clock } from '@berth/kit';

/** Options of {@link startLocalService}. */
export interface LocalServiceOptions {
  readonly argv: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly port: number;
  readonly clock: Clock;
}

const STOP_MS = 5_000;
const PROBE_MS = 50;

/** A service that runs on this machine, in a process group of its own. */
export type LocalService = ReturnType<typeof startLocalService>;

/** Starts a project on this machine as it would run deployed. */
export function startLocalService({ argv, folder, env, port, clock }: LocalServiceOptions) {
  const [program = '', ...rest] = argv;
  const child = spawn(program, rest, { cwd: folder, env, stdio: ['ignore', 'inherit', 'inherit'], detached: true });
  let hasEnded = false;
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
  child.once('error', (error) => resolve(error.message));
  ended.then(() => {
    hasEnded = true;
  });
  return {
    /** Resolves when it has ended, with a description. Never rejects. */
    ended,
    /** Resolves to true when its port answers, to false when it ends before that. */
    async listens(): Promise<boolean> {
      while (!hasEnded) {
        if (await accepts(port)) return !hasEnded;
        await clock.sleep(PROBE_MS);
      }
      return false;
    },
    /** Sends SIGTERM to all its processes, and SIGKILL after five seconds. */
    async stop(): Promise<void> {
      if (hasEnded) return;
      signalGroup(child, 'SIGTERM');
      const hammer = clock.setTimer(STOP_MS, () => signalGroup(child, 'SIGKILL'));
      await ended;
      hammer.cancel();
    },
  };
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function accepts(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ port, host: 'localhost' });
  socket.once('connect', () => resolve(true));
  socket.once('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}
