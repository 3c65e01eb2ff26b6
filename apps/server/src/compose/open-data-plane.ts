import { availableParallelism } from 'node:os';
import { parseMemory } from '@berth/contract';
import { createGateway, type Gateway, type GatewayEvents } from '@berth/gateway';
import type { Config } from '../config/read-config.ts';
import { hostMemoryBytes } from '../host-memory.ts';
import { type Machine, openMachine } from '../open-machine.ts';
import type { PartOptions } from './part-options.ts';

/** What runs services and sends them their requests. */
export interface DataPlane {
  readonly machine: Machine;
  readonly gateway: Gateway;
}

export interface OpenDataPlaneOptions extends PartOptions {
  readonly events: GatewayEvents;
  /** Signs affinity cookies. */
  readonly cookieKey: Buffer;
}

/** Requests that run get this long to end when the platform stops. */
const DRAIN_MS = 10_000;

/** Opens the machine and the gateway on it. Needs nothing that the control plane has. */
export async function openDataPlane(options: OpenDataPlaneOptions): Promise<DataPlane> {
  const { config, clock, ids, logger, events, cookieKey, shutdown } = options;
  const machine = await openMachine(options);
  const gateway = createGateway({
    ...{ runtime: machine.runtime, clock, ids, logger, events },
    secret: cookieKey,
    trustedProxies: config.trustedProxies,
    policy: {
      idleTimeoutMs: config.idleTimeoutSeconds * 1_000,
      suspendAfterMs: config.suspendAfterSeconds * 1_000,
      startTimeoutMs: config.startTimeoutSeconds * 1_000,
    },
    budget: { memoryBytes: memoryBudget(config), simultaneousStarts: 2 * availableParallelism() },
  });
  shutdown.push('gateway', () => gateway.close({ drainMs: DRAIN_MS }));
  return { machine, gateway };
}

function memoryBudget(config: Config): number {
  return (config.memoryBudget && parseMemory(config.memoryBudget)) || hostMemoryBytes();
}
