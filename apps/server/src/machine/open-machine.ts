import type { PartOptions } from '../compose/part-options.ts';
import { chooseRuntime } from './choose-runtime.ts';
import type { Machine } from './machine.ts';
import { openProcessMachine } from './open-process-machine.ts';

/**
 * Makes the runtime that was asked for, or that fits the machine.
 * @throws BerthError `unavailable` when it is docker and no engine answers.
 */
export async function openMachine(options: PartOptions): Promise<Machine> {
  const chosen = await chooseRuntime(options);
  if (chosen.kind === 'process') return openProcessMachine(options);
  // Large, and of no use to the other runtime.
  const { openDockerMachine } = await import('./open-docker-machine.ts');
  return openDockerMachine(options, chosen.engine);
}
