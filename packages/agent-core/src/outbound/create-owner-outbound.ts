import { createOutbound, type Outbound, type OutboundDeps } from './create-outbound.ts';

/** Every address. */
const ANYWHERE = ['0.0.0.0/0', '::/0'];

/**
 * The way to a service that the owner named, wherever it is: on this machine, without TLS. Nobody else may name what is asked
 * through it, redirects are not to be followed.
 */
export function createOwnerOutbound(processContext: OutboundDeps = {}): Outbound {
  return createOutbound({ allowedNetworks: ANYWHERE }, processContext);
}
