import { randomFillSync } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { availableParallelism } from 'node:os';
import type { Clock, IdSource, Logger } from '@berth/kit';
import type { Runtime } from '@berth/runtime';
import { closingRefusal, unknownRefusal, upgradeBodyRefusal } from './admission/refusal.ts';
import type { Gateway, GatewayEvents } from './gateway.ts';
import { type PortProbe, probeTcpPort } from './instances/probe-port.ts';
import { DEFAULT_POLICY, type GatewayPolicy } from './policy.ts';
import { signAffinity } from './proxy/affinity-cookie.ts';
import { ClientResponse } from './proxy/client-response.ts';
import { Exchange, type ExchangeContext, type UpgradeClient } from './proxy/exchange.ts';
import { hasBody } from './proxy/request-body.ts';
import { createTraceSource } from './proxy/trace-context.ts';
import { acceptUpgrade } from './proxy/upgrade-client.ts';
import { createServiceTable, type HostBudget } from './services/service-table.ts';
import { createHttp1Upstream } from './upstream/http1/create-http1-upstream.ts';
import { createHttp2Upstream } from './upstream/http2/create-http2-upstream.ts';

/** What a gateway is built with. */
export interface GatewayOptions {
  readonly runtime: Runtime;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
  readonly events: GatewayEvents;
  /** Key of the affinity cookies' signatures: 32 random bytes or more, the same after a restart. */
  readonly secret: string | Uint8Array;
  /** The machine's room for instances; `simultaneousStarts` is two for each of its CPUs by default. */
  readonly budget: Pick<HostBudget, 'memoryBytes'> & Partial<HostBudget>;
  readonly policy?: Partial<GatewayPolicy>;
  /**
   * A proxy of the operator's is in front and sets `X-Forwarded-Proto`, `X-Forwarded-Host` and `Forwarded`; false by
   * default: then what a client says there is not believed.
   */
  readonly trustForwarded?: boolean;
  /** How an instance's port is probed; TCP by default. */
  readonly probe?: PortProbe;
  /** Fills trace ids with randomness. */
  readonly random?: (bytes: Buffer) => void;
}

/** Source: docs/architecture.md, "The gateway". */
const STARTS_PER_CPU = 2;

/** Makes the data plane. It listens to nothing itself: a server hands it its requests. */
export function createGateway(options: GatewayOptions): Gateway {
  const { runtime, clock, ids, logger, events, secret } = options;
  const policy: GatewayPolicy = { ...DEFAULT_POLICY, ...options.policy };
  const table = createServiceTable({
    runtime,
    clock,
    ids,
    logger,
    events,
    policy,
    budget: { simultaneousStarts: STARTS_PER_CPU * availableParallelism(), ...options.budget },
    probe: options.probe ?? probeTcpPort,
    createUpstream: ({ useHttp2 }, { address }) => {
      const { connectTimeoutMs, upstreamIdleMs: idleMs } = policy;
      const upstreamOptions = { clock, host: address.host, port: address.port, connectTimeoutMs, idleMs };
      return useHttp2 ? createHttp2Upstream(upstreamOptions) : createHttp1Upstream(upstreamOptions);
    },
    signAffinity: (target, instanceId) => signAffinity(secret, target, instanceId),
  });
  const context: ExchangeContext = {
    clock,
    policy,
    events,
    traces: createTraceSource(options.random ?? randomFillSync),
    trustForwarded: options.trustForwarded ?? false,
  };

  const handle = (
    deployment: string,
    request: IncomingMessage,
    response: ServerResponse,
    upgrade: UpgradeClient | null,
  ) => {
    const service = table.find(deployment);
    const pool = service?.current;
    if (service === undefined || !pool) {
      // Nobody's request: there is no account whose log it would belong to.
      const refusal = table.isClosing ? closingRefusal() : unknownRefusal(deployment);
      new ClientResponse(request, response, () => {}).answer(refusal, table.isClosing);
      return;
    }
    new Exchange(context, service, pool, request, response, upgrade).start();
  };

  return {
    handleRequest(deployment, request, response) {
      handle(deployment, request, response, null);
    },
    handleUpgrade(deployment, request, socket, head) {
      const { response, client } = acceptUpgrade(request, socket, head);
      if (hasBody(request)) new ClientResponse(request, response, () => {}).answer(upgradeBodyRefusal(), true);
      else handle(deployment, request, response, client);
    },
    register: (target) => table.register(target),
    activate: (target, activateOptions) => table.activate(target, activateOptions),
    remove: (deployment) => table.remove(deployment),
    snapshot: (deployment) => table.snapshot(deployment),
    loads: () => table.loads(),
    close: ({ drainMs = policy.closeDrainMs } = {}) => table.close(drainMs),
  };
}
