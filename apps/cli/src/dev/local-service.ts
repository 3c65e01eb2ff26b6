import { type ChildProcess, spawn } from 'node:child_process';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import type { Clock } from '@berth/kit';

/** Options of {@link startLocalService}. */
export interface LocalServiceOptions {
  readonly argv: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly port: number;
  readonly clock: Clock;
  /** Called with each line that it prints, on standard output or error. */
  onLine(line: string): void;
}

const STOP_MS = 5_000;
const PROBE_MS = 50;

/**
 * Shell script that waits for the end of standard input and then ends the process group in its argument: SIGTERM, and SIGKILL
 * after five seconds. The script is constant. A waiting shell takes 2 MB, Node would take 40.
 */
const GUARD = `while read -r _; do :; done
kill -s TERM -- "-$1" 2>/dev/null || exit 0
for _ in 1 2 3 4 5; do sleep 1; kill -s 0 -- "-$1" 2>/dev/null || exit 0; done
kill -s KILL -- "-$1" 2>/dev/null`;

/** A service that runs on this machine, in a process group of its own. */
export type LocalService = ReturnType<typeof startLocalService>;

/**
 * Starts a project on this machine as it would run deployed. It ends with this process, however this process ends: a guard holds
 * the other end of a pipe.
 */
export function startLocalService({ argv, folder, env, port, clock, onLine }: LocalServiceOptions) {
  const [program = '', ...rest] = argv;
  const child = spawn(program, rest, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const guard = startGuard(child);
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', onLine);
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
    /** Sends SIGTERM to all its processes, and SIGKILL after five seconds. Resolves when the first one has ended and the port is free. */
    async stop(): Promise<void> {
      if (hasEnded) return guard?.release();
      signalGroup(child, 'SIGTERM');
      let isKilled = false;
      const hammer = clock.setTimer(STOP_MS, () => {
        isKilled = true;
        signalGroup(child, 'SIGKILL');
      });
      await ended;
      while (!isKilled && (await accepts(port))) await clock.sleep(PROBE_MS);
      // The number of a group isn't given to another one while it has processes.
      if (!signalGroup(child, 0)) hammer.cancel();
      guard?.release();
    },
  };
}

/** Starts the guard of a process group. `release` has it end what is left of the group, and then itself. */
function startGuard({ pid }: ChildProcess): { release(): void } | undefined {
  if (pid === undefined || process.platform === 'win32') return undefined;
  const guard = spawn('/bin/sh', ['-c', GUARD, 'berth-dev-guard', String(pid)], {
    cwd: '/',
    // A session of its own: the end of the terminal must not end the guard first.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without a shell there is no guard.
  guard.on('error', () => {});
  guard.stdin.on('error', () => {});
  guard.unref();
  return { release: () => void guard.stdin.end() };
}

/** Sends a signal, or none for 0, and returns whether the group has a process. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(-pid, signal);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    return false;
  }
}

function accepts(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ port, host: 'localhost' });
  socket.once('connect', () => resolve(true));
  socket.once('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}
