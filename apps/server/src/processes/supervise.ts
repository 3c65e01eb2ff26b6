import { createError } from '@berth/contract';
import { backoffMs, type Clock, describeError, type Logger, runInBackground } from '@berth/kit';
import type { RoleProcess } from './role-process.ts';

/** Options of {@link supervise}. */
export interface SuperviseOptions {
  /** For the log. */
  readonly name: string;
  launch(): RoleProcess;
  /** Prepares a new process to serve. When it fails, the process is killed. */
  prepare(process: RoleProcess): Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Backoff between restarts. The platform can't wait longer for one of its own processes. */
const BACKOFF = { baseMs: 250, maxMs: 10_000 } as const;
/** How a process ends that is killed here. */
const KILLED = 'SIGKILL';
/** A process that ran this long resets the backoff. */
const STABLE_MS = 10_000;

/** Keeps one process running, by restarting the processes that `launch` starts. */
export function supervise({ name, launch, prepare, clock, logger }: SuperviseOptions) {
  const closing = new AbortController();
  let current: RoleProcess | undefined;
  let failures = 0;

  const startOne = async (): Promise<RoleProcess> => {
    const process = launch();
    current = process;
    let hasEnded = false;
    const ended = process.ended.then(() => {
      hasEnded = true;
      throw new Error('it ended');
    });
    try {
      await Promise.race([prepare(process), ended]);
    } catch (cause) {
      const isOwnKill = !hasEnded;
      process.kill();
      const how = await process.ended;
      if (isOwnKill && how === KILLED) throw cause;
      throw createError('unavailable', `A Berth process (${name}) ended before it was ready: ${how}.`, { cause });
    }
    return process;
  };

  /** Waits for the end of `process` and replaces it, until closed. */
  const keep = async (process: RoleProcess) => {
    let running: RoleProcess | undefined = process;
    while (!closing.signal.aborted) {
      const startedMs = clock.monotonicMs();
      if (running !== undefined) {
        const how = await running.ended;
        if (closing.signal.aborted) return;
        if (clock.monotonicMs() - startedMs >= STABLE_MS) failures = 0;
        logger.error({ process: name, how }, 'a platform process ended and is being restarted');
      }
      await clock.sleep(backoffMs(failures, BACKOFF), closing.signal).catch(() => {});
      failures++;
      if (closing.signal.aborted) return;
      running = await startOne().catch((error: unknown) => {
        logger.error({ process: name, error: describeError(error) }, 'a platform process could not be started');
        return undefined;
      });
    }
  };

  return {
    /** @throws the error of the first process; later failures are logged and retried */
    async start(): Promise<void> {
      const process = await startOne();
      runInBackground(`supervision of ${name}`, keep(process), logger);
    },
    /** Stops restarting, releases the running process and waits up to `graceMs` for its end. Idempotent. */
    async close(graceMs: number): Promise<void> {
      closing.abort();
      if (current === undefined) return;
      current.release();
      const hammer = clock.setTimer(graceMs, () => current?.kill());
      await current.ended;
      hammer.cancel();
    },
  };
}
