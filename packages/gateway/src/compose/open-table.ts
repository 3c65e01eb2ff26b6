import { availableParallelism } from 'node:os';
import type { Clock, IdSource, Logger } from '@berth/kit';
import type { Runtime } from '@berth/runtime';
import { createHttpProbe } from '../instances/http-probe.ts';
import type { InstanceContext, InstanceProbes } from '../instances/instance-context.ts';
import { probeHttp2 } from '../instances/probe-http2.ts';
import { probeTcpPort } from '../instances/probe-port.ts';
import type { GatewayControl, GatewayEvents } from '../port/gateway.ts';
import type { GatewayPolicy } from '../port/gateway-policy.ts';
import { signAffinity } from '../proxy/affinity-cookie.ts';
import { createServiceTable, type HostBudget, type ServiceTable } from '../services/service-table.ts';
import type { SlotHolders } from '../services/slot-holders.ts';
import { createUpstreams } from '../upstream/create-upstream.ts';

/** What the services of a gateway need of their platform. */
export interface PlatformParts {
  readonly runtime: Runtime;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
  readonly events: GatewayEvents;
  /** Key of the affinity cookies' signatures: 32 random bytes or more, the same after a restart. */
  readonly secret: string | Uint8Array;
  /** The machine's room for instances; `simultaneousStarts` is two for each of its CPUs by default. */
  readonly budget: Pick<HostBudget, 'memoryBytes'> & Partial<HostBudget>;
  /** How it is found out what instances do; over the network by default. */
  readonly probes?: Partial<InstanceProbes>;
}

/** Source: docs/architecture.md, "The gateway". */
const STARTS_PER_CPU = 2;

/**
 * Makes the table of a gateway's services.
 * @param createUpstream the way to an instance for the requests of this process.
 */
export function openTable(
  { runtime, clock, ids, logger, events, secret, budget, probes }: PlatformParts,
  policy: GatewayPolicy,
  createUpstream: InstanceContext['createUpstream'],
  holders?: SlotHolders,
): ServiceTable {
  return createServiceTable({
    runtime,
    clock,
    ids,
    logger,
    events,
    policy,
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

/** The calls of the control plane, on a table. */
export function tableControl(
  table: ServiceTable,
  { closeDrainMs }: Pick<GatewayPolicy, 'closeDrainMs'>,
): GatewayControl {
  return {
    register: (target) => table.register(target),
    release: (target, options) => table.release(target, options),
    activate: (target, options) => table.activate(target, options),
    remove: (deployment) => table.remove(deployment),
    snapshot: (deployment) => table.snapshot(deployment),
    loads: () => table.loads(),
    close: ({ drainMs = closeDrainMs } = {}) => table.close(drainMs),
  };
}
