import { randomFillSync } from 'node:crypto';
import { createProxyTrust } from '@berth/kit/node';
import type { Gateway } from '../port/gateway.ts';
import { DEFAULT_POLICY, type GatewayPolicy } from '../port/gateway-policy.ts';
import { createRequestHandlers } from '../proxy/create-request-handlers.ts';
import type { ExchangeContext } from '../proxy/exchange.ts';
import { createTraceSource } from '../proxy/trace-context.ts';
import { createUpstreams } from '../upstream/create-upstream.ts';
import { openTable, type PlatformParts } from './open-table.ts';

/** Options of {@link createGateway}. */
export interface GatewayOptions extends PlatformParts {
  readonly policy?: Partial<GatewayPolicy>;
  /**
   * Networks of the operator's own proxies, such as `10.0.0.0/8`, whose `X-Forwarded-*` and `Forwarded` headers are trusted. None by
   * default.
   */
  readonly trustedProxies?: readonly string[];
  /** Fills trace ids with randomness. */
  readonly random?: (bytes: Buffer) => void;
}

/** Creates the data plane in one process. It doesn't listen: a server passes requests to it. */
export function createGateway(options: GatewayOptions): Gateway {
  const { clock, events, secret } = options;
  const policy: GatewayPolicy = { ...DEFAULT_POLICY, ...options.policy };
  const createUpstream = createUpstreams(clock, policy);
  const table = openTable(options, policy, ({ address }, useHttp2) => createUpstream({ ...address, useHttp2 }));
  const context: ExchangeContext = {
    secret,
    clock,
    policy,
    events,
    traces: createTraceSource(options.random ?? randomFillSync),
    proxies: createProxyTrust(options.trustedProxies ?? []),
    isPlatform: false,
  };
  return { ...createRequestHandlers(context, table), ...table };
}
