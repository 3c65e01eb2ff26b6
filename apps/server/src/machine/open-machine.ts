import type { PartOptions } from '../compose/part-options.ts';
import { chooseRuntime } from './choose-runtime.ts';
import type { Machine } from './machine.ts';
import { openDockerMachine } from './open-docker-machine.ts';
import { openProcessMachine } from './open-process-machine.ts';

/**
 * Makes the runtime that was asked for, or that fits the machine.
 * @throws BerthError `unavailable` when it is docker and no engine answers.
 */
export async function openMachine(options: PartOptions): Promise<Machine> {
  const chosen = await chooseRuntime(options);
  return chosen.kind === 'docker' ? openDockerMachine(options, chosen.engine) : openProcessMachine(options);
}
