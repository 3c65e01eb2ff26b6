import { availableParallelism, totalmem } from 'node:os';
import { parseMemory } from '@berth/contract';
import type { GatewayOptions } from '@berth/gateway';
import type { Config } from '../config/read-config.ts';

/** Requests that run get this long to end when the platform stops. */
export const DRAIN_MS = 10_000;

/** What is left to the system and to Berth itself. */
const INSTANCE_SHARE_RATIO = 0.8;

/** What the settings say of how services are run. */
export function gatewaySettings(config: Config): Required<Pick<GatewayOptions, 'policy' | 'budget'>> {
  return {
    policy: {
      idleTimeoutMs: config.idleTimeoutSeconds * 1_000,
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
 * Memory (bytes) that the instances of this machine may be given together when the operator says nothing: most of what
 * this process may use, which in a container is less than what the machine has.
 */
function hostMemoryBytes(): number {
  const constrained = process.constrainedMemory();
  // Node answers 0, or a number beyond the machine's own, where there is no constraint.
  const usable = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  return Math.floor(usable * INSTANCE_SHARE_RATIO);
}
