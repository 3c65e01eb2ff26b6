import { createGateway, type Gateway, type GatewayEvents } from '@berth/gateway';
import type { PartOptions } from '../context/part-options.ts';
import type { Machine } from '../machine/machine.ts';
import { DRAIN_MS, gatewaySettings } from './gateway-settings.ts';

/** Options of {@link openGateway}. */
export interface OpenGatewayOptions extends PartOptions {
  readonly machine: Pick<Machine, 'runtime'>;
  readonly events: GatewayEvents;
  /** Signs affinity cookies. */
  readonly cookieKey: Buffer;
}

/** Opens the gateway that starts services on the machine and sends them their requests. */
export function openGateway(options: OpenGatewayOptions): Gateway {
  const { config, clock, ids, logger, machine, events, cookieKey, shutdown } = options;
  const gateway = createGateway({
    runtime: machine.runtime,
    clock,
    ids,
    logger,
    events,
    secret: cookieKey,
    trustedProxies: config.trustedProxies,
    ...gatewaySettings(config),
  });
  shutdown.push('gateway', () => gateway.close({ drainMs: DRAIN_MS }));
  return gateway;
}
