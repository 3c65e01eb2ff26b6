import { availableParallelism } from 'node:os';
import { parseMemory } from '@berth/contract';
import type { GatewayOptions } from '@berth/gateway';
import type { Config } from '../config/read-config.ts';
import { hostMemoryBytes } from '../host-memory.ts';

/** Requests that run get this long to end when the platform stops. */
export const DRAIN_MS = 10_000;

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
