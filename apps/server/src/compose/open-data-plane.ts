import { createGateway, type Gateway, type GatewayEvents } from '@berth/gateway';
import type { Machine } from '../machine/machine.ts';
import { openMachine } from '../machine/open-machine.ts';
import { DRAIN_MS, gatewaySettings } from './gateway-settings.ts';
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

/** Opens the machine and the gateway on it. Needs nothing that the control plane has. */
export async function openDataPlane(options: OpenDataPlaneOptions): Promise<DataPlane> {
  const { config, clock, ids, logger, events, cookieKey, shutdown } = options;
  const machine = await openMachine(options);
  const gateway = createGateway({
    ...{ runtime: machine.runtime, clock, ids, logger, events },
    secret: cookieKey,
    trustedProxies: config.trustedProxies,
    ...gatewaySettings(config),
  });
  shutdown.push('gateway', () => gateway.close({ drainMs: DRAIN_MS }));
  return { machine, gateway };
}
