import { createError, findIsolationGaps, type IsolationGap } from '@berth/contract';
import type { Capability } from '@berth/runtime';
import { forgetState } from '@berth/runtime-process';
import type { Config } from '../config/read-config.ts';
import type { PartOptions } from '../context/part-options.ts';
import type { Origin } from '../data-folder/data-place.ts';
import { chooseRuntime } from './choose-runtime.ts';
import type { Machine } from './machine.ts';
import { openProcessMachine } from './open-process-machine.ts';
import { refuseForgeableProxies } from './refuse-forgeable-proxies.ts';

/** Options of {@link openMachine}. */
export interface OpenMachineOptions extends PartOptions {
  /** Origin of the data folder, which is locked. */
  readonly origin: Origin;
  /** On a cluster: whether the gateway of this server has the instances of a deployment. */
  readonly isOwned?: (deployment: string) => boolean;
  /** Identifies this server on a shared container engine. */
  readonly serverId: string;
}

/**
 * Opens the configured runtime, or the one that fits the machine.
 * @throws BerthError `unavailable` when docker is required and no engine answers or the folder is a copy, and when required isolation is
 *   missing
 * @throws BerthError `conflict` when services could pose as a trusted proxy
 */
export async function openMachine(options: OpenMachineOptions): Promise<Machine> {
  const machine = await openRuntime(options);
  const capabilities = await machine.runtime.capabilities();
  const { trustedProxies } = options.config;
  if (trustedProxies.length > 0) refuseForgeableProxies(trustedProxies, capabilities);
  checkIsolation(options.config, capabilities);
  return machine;
}

async function openRuntime({ origin, serverId, ...options }: OpenMachineOptions): Promise<Machine> {
  const chosen = await chooseRuntime(options);
  if (chosen.kind === 'process') {
    if (origin.kind === 'copied') await forgetState(options.config.dataFolder);
    return openProcessMachine(options);
  }
  if (chosen.kind === 'kubernetes') {
    const { openKubernetesMachine } = await import('./open-kubernetes-machine.ts');
    return openKubernetesMachine(options);
  }
  // Containers and images are named after the folder's server id, so a copy would end those of the original.
  if (origin.kind === 'copied') {
    throw createError(
      'unavailable',
      `${options.config.dataFolder} is a copy of a data folder that still exists, and a container engine can't distinguish the containers of the two. Nothing was changed. Restore a backup on another machine, or move the original away so that this copy replaces it.`,
    );
  }
  // A large module that the process runtime doesn't need.
  const { openDockerMachine } = await import('./open-docker-machine.ts');
  return openDockerMachine(options, chosen.engine, serverId);
}

/**
 * Checks that the machine has the isolation that the operator requires, or that open sign-up needs.
 * @throws BerthError `unavailable` with a sentence for each part that is missing, and its remedy
 */
export function checkIsolation(
  { requireIsolation, signUp }: Pick<Config, 'requireIsolation' | 'signUp'>,
  capabilities: readonly Capability[],
): void {
  if (!requireIsolation && !signUp) return;
  const gaps = findIsolationGaps(capabilities);
  if (gaps.length === 0) return;
  const flag = requireIsolation ? '--require-isolation' : '--sign-up';
  throw createError(
    'unavailable',
    [
      `${flag} requires account isolation, so Berth did not start. Missing on this machine:`,
      ...gaps.map(describeGap),
      'See docs/guides/security.md for the isolation of each kind of machine.',
    ].join('\n'),
  );
}

function describeGap({ requirement, check }: IsolationGap): string {
  if (!check) return `- ${requirement.id}: This runtime doesn't have it. ${requirement.otherwise}`;
  const { title, status, detail, remedy } = check;
  return [`- ${title} is ${status}: ${detail}`, ...(remedy === undefined ? [] : [remedy])].join(' ');
}
