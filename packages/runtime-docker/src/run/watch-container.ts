import { BerthError, backoffMs, type Clock, type Logger } from '@berth/kit';
import type { Container } from 'dockerode';
import { engineStatus } from '../engine/engine-errors.ts';
import type { Engine } from '../engine/open-engine.ts';
import type { ContainerEnd } from './container-exit.ts';
import { startTicks } from './container-processes.ts';

/** Options of {@link watchContainer}. */
export interface WatchOptions {
  readonly engine: Engine;
  readonly container: Container;
  /** Of its first process, on this machine. */
  readonly pid: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

const RETRY = { baseMs: 50, maxMs: 1_000 };
/** `SIGKILL`: what ends containers together with their engine. */
const KILLED: ContainerEnd = { exitCode: 137, isOutOfMemory: false };

/**
 * Waits until a container has ended. While the engine can't be reached, checks the container's process: if it is gone, the container ended
 * with the engine; otherwise waits for the engine. Never rejects.
 */
export async function watchContainer({ engine, container, pid, clock, logger }: WatchOptions): Promise<ContainerEnd> {
  const ticks = startTicks(pid);
  for (let failures = 0; ; failures++) {
    try {
      await engine.call(() => container.wait({ condition: 'not-running' }));
      const { State } = await engine.call(() => container.inspect());
      return { exitCode: State.ExitCode, isOutOfMemory: State.OOMKilled };
    } catch (error) {
      // Removed by somebody else.
      if (engineStatus(error) === 404) return KILLED;
      if (!BerthError.is(error)) logger.warn({ container: container.id, error: String(error) }, 'a wait failed');
      if (ticks !== undefined && startTicks(pid) !== ticks) return KILLED;
      await clock.sleep(backoffMs(failures, RETRY));
    }
  }
}
