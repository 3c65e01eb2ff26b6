import { availableParallelism, totalmem } from 'node:os';
import { parseMemory } from '@berth/contract';
import type { GatewayOptions } from '@berth/gateway';
import type { Config } from '../config/read-config.ts';

/** Grace period for running requests when the platform stops. */
export const DRAIN_MS = 10_000;

/** The rest is for the system and Berth itself. */
const INSTANCE_SHARE_RATIO = 0.8;

/** Starts at a time on a cluster, which wait for its API server and its nodes. */
const CLUSTER_STARTS = 32;

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
      ...(config.runtime === 'kubernetes' ? clusterBudget(config) : machineBudget(config)),
    },
  };
}

function machineBudget(config: Config) {
  return {
    memoryBytes: memoryBudget(config) ?? hostMemoryBytes(),
    cpuMillis: 1_000 * availableParallelism() * config.cpuOvercommit,
    simultaneousStarts: 2 * availableParallelism(),
  };
}

/** The scheduler decides what fits on the nodes, and the quotas of namespaces bound accounts. */
function clusterBudget(config: Config) {
  return {
    memoryBytes: memoryBudget(config) ?? Number.MAX_SAFE_INTEGER,
    cpuMillis: Number.MAX_SAFE_INTEGER,
    simultaneousStarts: CLUSTER_STARTS,
  };
}

function memoryBudget({ memoryBudget: text }: Config): number | undefined {
  return text === undefined ? undefined : parseMemory(text);
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
