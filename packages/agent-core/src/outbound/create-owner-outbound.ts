import { createOutbound, type Outbound, type OutboundDeps } from './create-outbound.ts';

/** Every address. */
const ANYWHERE = ['0.0.0.0/0', '::/0'];

/**
 * Creates a client for a service that the owner configured, at any address, also on this machine and without TLS. Use it only for
 * URLs from the owner, and don't follow redirects.
 */
export function createOwnerOutbound(processContext: OutboundDeps = {}): Outbound {
  return createOutbound({ allowedNetworks: ANYWHERE }, processContext);
}
