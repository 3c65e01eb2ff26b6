import { BerthError, backoffMs } from '@berth/kit';
import type { InstanceExit } from '@berth/runtime';
import { readProcess, signalOfExitCode } from '@berth/runtime/drivers';
import type { Container } from 'dockerode';
import { engineStatus } from '../engine/engine-errors.ts';
import type { EngineContext } from '../engine/open-engine.ts';
import type { AttachedOutput } from './attach-output.ts';

/** The end of a container as reported by its engine. */
export interface ContainerEnd {
  readonly exitCode: number;
  readonly isOutOfMemory: boolean;
}

/** Translates the end of a container. Like a shell, an init process exits with 128 + n when signal n ended the program. */
export function toExit({ exitCode, isOutOfMemory }: ContainerEnd): Omit<InstanceExit, 'isRequested'> {
  const signal = signalOfExitCode(exitCode);
  return {
    ...(signal === undefined ? { exitCode, signal: null } : { exitCode: null, signal }),
    // A program may exit because the memory limit killed one of its processes: that counts as out of memory, too.
    isOutOfMemory: isOutOfMemory && exitCode !== 0,
  };
}

const RETRY = { baseMs: 50, maxMs: 1_000 };
/** `SIGKILL`: what ends containers together with their engine. */
const KILLED: ContainerEnd = { exitCode: 137, isOutOfMemory: false };

/**
 * Waits until a container has ended and its output was delivered. While the engine can't be reached, checks the container's process: if it
 * is gone, the container ended with the engine; otherwise waits for the engine. Never rejects.
 * @param pid The container's first process, on this machine.
 * @param onEnd Called when it has ended, before the rest of the output is delivered.
 */
export async function watchContainer(
  container: Container,
  pid: number,
  output: AttachedOutput,
  context: Omit<EngineContext, 'serverId'>,
  onEnd = () => {},
): Promise<ContainerEnd> {
  const end = await waitForEnd(container, pid, context);
  onEnd();
  await output.finish();
  return end;
}

async function waitForEnd(
  container: Container,
  pid: number,
  { engine, clock, logger }: Omit<EngineContext, 'serverId'>,
): Promise<ContainerEnd> {
  const ticks = readProcess(pid)?.startTicks;
  for (let failures = 0; ; failures++) {
    try {
      await engine.call(() => container.wait({ condition: 'not-running' }));
      const { State } = await engine.call(() => container.inspect());
      return { exitCode: State.ExitCode, isOutOfMemory: State.OOMKilled };
    } catch (error) {
      // Removed by someone else.
      if (engineStatus(error) === 404) return KILLED;
      if (!BerthError.is(error)) logger.warn({ container: container.id, error: String(error) }, 'a wait failed');
      if (ticks !== undefined && readProcess(pid)?.startTicks !== ticks) return KILLED;
      await clock.sleep(backoffMs(failures, RETRY));
    }
  }
}
