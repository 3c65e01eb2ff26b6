import { forgetState } from '@berth/runtime-process';
import type { PartOptions } from '../compose/part-options.ts';
import type { Origin } from '../data-place.ts';
import { checkIsolation } from './check-isolation.ts';
import { chooseRuntime } from './choose-runtime.ts';
import type { Machine } from './machine.ts';
import { openProcessMachine } from './open-process-machine.ts';
import { refuseForgeableProxies } from './refuse-forgeable-proxies.ts';

export interface OpenMachineOptions extends PartOptions {
  /** Of the data folder, which is locked. */
  readonly origin: Origin;
}

/**
 * Makes the runtime that was asked for, or that fits the machine.
 * @throws BerthError `unavailable` when it is docker and no engine answers, and where isolation is required that it lacks.
 * @throws BerthError `conflict` when what runs on it could pose as a trusted proxy.
 */
export async function openMachine({ origin, ...options }: OpenMachineOptions): Promise<Machine> {
  if (origin.kind === 'copied') await forgetState(options.config.dataFolder);
  const machine = await openRuntime(options);
  const capabilities = await machine.runtime.capabilities();
  const { trustedProxies } = options.config;
  if (trustedProxies.length > 0) refuseForgeableProxies(trustedProxies, capabilities);
  checkIsolation(options.config, capabilities);
  return machine;
}

async function openRuntime(options: PartOptions): Promise<Machine> {
  const chosen = await chooseRuntime(options);
  if (chosen.kind === 'process') return openProcessMachine(options);
  // Large, and of no use to the other runtime.
  const { openDockerMachine } = await import('./open-docker-machine.ts');
  return openDockerMachine(options, chosen.engine);
}
