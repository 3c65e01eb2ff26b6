import type { Clock } from '@berth/kit';
import type { GatewayPolicy } from '../port/gateway-policy.ts';
import type { Upstream } from '../port/upstream.ts';
import { createHttp1Upstream } from './http1/create-http1-upstream.ts';
import { createHttp2Upstream } from './http2/create-http2-upstream.ts';

/** Where an instance is reached, and in which protocol. */
export interface UpstreamTarget {
  readonly host: string;
  readonly port: number;
  readonly useHttp2: boolean;
}

/** Creates the connections to an instance. */
export type CreateUpstream = (target: UpstreamTarget) => Upstream;

/** Returns the function that creates connections over the network, in the protocol of the instance. */
export function createUpstreams(
  clock: Clock,
  { connectTimeoutMs, upstreamIdleMs: idleMs }: Pick<GatewayPolicy, 'connectTimeoutMs' | 'upstreamIdleMs'>,
): CreateUpstream {
  return ({ host, port, useHttp2 }) => {
    const options = { clock, host, port, connectTimeoutMs, idleMs };
    return useHttp2 ? createHttp2Upstream(options) : createHttp1Upstream(options);
  };
}
