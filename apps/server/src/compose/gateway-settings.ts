import { availableParallelism, totalmem } from 'node:os';
import { parseMemory } from '@berth/contract';
import type { GatewayOptions } from '@berth/gateway';
import type { Config } from '../config/read-config.ts';

/** Grace period for running requests when the platform stops. */
export const DRAIN_MS = 10_000;

/** The rest is for the system and Berth itself. */
const INSTANCE_SHARE_RATIO = 0.8;

/** Returns the gateway's policy and budget from the settings. */
export function gatewaySettings(config: Config): Required<Pick<GatewayOptions, 'policy' | 'budget'>> {
  return {
    policy: {
      idleTimeoutMs: config.idleTimeoutSeconds * 1_000,
      busyMaxMs: config.busyMaxSeconds * 1_000,
      suspendAfterMs: config.suspendAfterSeconds * 1_000,
      startTimeoutMs: config.startTimeoutSeconds * 1_000,
    },
    budget: {
      memoryBytes: memoryBudget(config),
      cpuMillis: 1_000 * availableParallelism() * config.cpuOvercommit,
      simultaneousStarts: 2 * availableParallelism(),
    },
  };
}

function memoryBudget(config: Config): number {
  return (config.memoryBudget && parseMemory(config.memoryBudget)) || hostMemoryBytes();
}

/**
 * Returns the default memory budget of all instances, in bytes: most of the memory this process may use, which in a container is less
 * than the machine has.
 */
function hostMemoryBytes(): number {
  const constrained = process.constrainedMemory();
  // Without a constraint Node returns 0 or more than the machine has.
  const usable = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  return Math.floor(usable * INSTANCE_SHARE_RATIO);
}
