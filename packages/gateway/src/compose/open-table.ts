import { availableParallelism } from 'node:os';
import type { Clock, IdSource, Logger } from '@berth/kit';
import type { Runtime } from '@berth/runtime';
import { createHttpProbe } from '../instances/http-probe.ts';
import type { InstanceContext, InstanceProbes } from '../instances/instance-context.ts';
import { probeHttp2 } from '../instances/probe-http2.ts';
import { probeTcpPort } from '../instances/probe-port.ts';
import type { GatewayEvents } from '../port/gateway.ts';
import type { GatewayPolicy } from '../port/gateway-policy.ts';
import { signAffinity } from '../proxy/affinity-cookie.ts';
import { createServiceTable, type HostBudget, type ServiceTable } from '../services/service-table.ts';
import type { SlotHolders } from '../services/slot-holders.ts';
import { createUpstreams } from '../upstream/create-upstream.ts';

/** The platform's parts that the services of a gateway need. */
export interface PlatformParts {
  readonly runtime: Runtime;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
  readonly events: GatewayEvents;
  /** The key that signs affinity cookies: at least 32 random bytes, the same after a restart. */
  readonly secret: string | Uint8Array;
  /** The machine's capacity for instances. `simultaneousStarts` is two per CPU by default. */
  readonly budget: Pick<HostBudget, 'memoryBytes'> & Partial<HostBudget>;
  /** The probes of instances; over the network by default. */
  readonly probes?: Partial<InstanceProbes>;
}

/** Source: docs/architecture.md, "The gateway". */
const STARTS_PER_CPU = 2;

/**
 * Creates the table of a gateway's services.
 * @param createUpstream makes the connections to an instance for the requests of this process.
 */
export function openTable(
  { runtime, clock, ids, logger, events, secret, budget, probes }: PlatformParts,
  policy: GatewayPolicy,
  createUpstream: InstanceContext['createUpstream'],
  holders?: SlotHolders,
): ServiceTable {
  return createServiceTable({
    ...{ runtime, clock, ids, logger, events, policy },
    budget: { simultaneousStarts: STARTS_PER_CPU * availableParallelism(), ...budget },
    probes: {
      port: probeTcpPort,
      http2: probeHttp2,
      http: createHttpProbe(clock, createUpstreams(clock, policy)),
      ...probes,
    },
    createUpstream,
    signAffinity: (target, instanceId) => signAffinity(secret, target, instanceId),
    ...(holders === undefined ? {} : { holders }),
  });
}
