import { createError } from '@berth/contract';
import { forgetState } from '@berth/runtime-process';
import type { PartOptions } from '../context/part-options.ts';
import type { Origin } from '../data-folder/data-place.ts';
import { ensureOwnServerId } from '../data-folder/platform-secrets.ts';
import { checkIsolation } from './check-isolation.ts';
import { chooseRuntime } from './choose-runtime.ts';
import type { Machine } from './machine.ts';
import { openProcessMachine } from './open-process-machine.ts';
import { refuseForgeableProxies } from './refuse-forgeable-proxies.ts';

/** Options of {@link openMachine}. */
export interface OpenMachineOptions extends PartOptions {
  /** Origin of the data folder, which is locked. */
  readonly origin: Origin;
}

/**
 * Opens the configured runtime, or the one that fits the machine.
 * @throws BerthError `unavailable` when docker is required and no engine answers or the folder is a copy, and when required isolation is
 *   missing
 * @throws BerthError `conflict` when services could pose as a trusted proxy
 */
export async function openMachine({ origin, ...options }: OpenMachineOptions): Promise<Machine> {
  const machine = await openRuntime(options, origin);
  const capabilities = await machine.runtime.capabilities();
  const { trustedProxies } = options.config;
  if (trustedProxies.length > 0) refuseForgeableProxies(trustedProxies, capabilities);
  checkIsolation(options.config, capabilities);
  return machine;
}

async function openRuntime(options: PartOptions, origin: Origin): Promise<Machine> {
  const chosen = await chooseRuntime(options);
  if (chosen.kind === 'process') {
    if (origin.kind === 'copied') await forgetState(options.config.dataFolder);
    return openProcessMachine(options);
  }
  // Containers and images are named after the master key, so a copy would end those of the original.
  if (origin.kind === 'copied') {
    throw createError(
      'unavailable',
      `${options.config.dataFolder} is a copy of a data folder that is still there, and an engine can't tell the containers of the two apart. Nothing was changed. Restore a backup on another machine, or move the original away to have this one take its place.`,
    );
  }
  if (origin.kind === 'restored') ensureOwnServerId(options.config.dataFolder);
  // A large module that the process runtime doesn't need.
  const { openDockerMachine } = await import('./open-docker-machine.ts');
  return openDockerMachine(options, chosen.engine);
}
