import { randomFillSync } from 'node:crypto';
import type { Gateway } from './gateway.ts';
import { DEFAULT_POLICY, type GatewayPolicy } from './policy.ts';
import { createRequestHandlers } from './proxy/create-request-handlers.ts';
import type { ExchangeContext } from './proxy/exchange.ts';
import { createTraceSource } from './proxy/trace-context.ts';
import { openTable, type PlatformParts, tableControl } from './services/open-table.ts';
import { createUpstreams } from './upstream/create-upstream.ts';

/** What a gateway is built with. */
export interface GatewayOptions extends PlatformParts {
  readonly policy?: Partial<GatewayPolicy>;
  /**
   * A proxy of the operator's is in front and sets `X-Forwarded-Proto`, `X-Forwarded-Host` and `Forwarded`; false by
   * default: then what a client says there is not believed.
   */
  readonly trustForwarded?: boolean;
  /** Fills trace ids with randomness. */
  readonly random?: (bytes: Buffer) => void;
}

/** Makes the data plane in one process. It listens to nothing itself: a server hands it its requests. */
export function createGateway(options: GatewayOptions): Gateway {
  const { clock, events } = options;
  const policy: GatewayPolicy = { ...DEFAULT_POLICY, ...options.policy };
  const createUpstream = createUpstreams(clock, policy);
  const table = openTable(options, policy, ({ useHttp2 }, { address }) => createUpstream({ ...address, useHttp2 }));
  const context: ExchangeContext = {
    clock,
    policy,
    events,
    traces: createTraceSource(options.random ?? randomFillSync),
    trustForwarded: options.trustForwarded ?? false,
  };
  return { ...createRequestHandlers(context, table), ...tableControl(table, policy) };
}
