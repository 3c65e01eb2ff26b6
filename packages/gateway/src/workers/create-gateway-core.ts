import { openTable, type PlatformParts } from '../compose/open-table.ts';
import type { GatewayControl } from '../port/gateway.ts';
import { DEFAULT_POLICY, type GatewayPolicy } from '../port/gateway-policy.ts';
import type { Upstream } from '../port/upstream.ts';
import type { ServiceTable } from '../services/service-table.ts';
import type { Defer } from './outbox.ts';
import { createSlotBroker, type SlotBroker } from './slot-broker.ts';

/** Options of {@link createGatewayCore}. */
export interface GatewayCoreOptions extends PlatformParts {
  readonly policy?: Partial<GatewayPolicy>;
  /** Receives the encoded records of the requests that workers served. `events.onRequest` is never called in the core. */
  readonly onRecords: (records: Uint8Array, count: number) => void;
  /** Schedules the sending of messages to workers; by default at the end of the event loop's turn. */
  readonly defer?: Defer;
}

/** The core of a gateway whose requests are served by worker processes. */
export interface GatewayCore {
  readonly gateway: GatewayControl & Pick<ServiceTable, 'take' | 'leave'>;
  /** Serves a worker until its port closes; then all slots that the worker held are freed. */
  readonly attachWorker: SlotBroker['attach'];
  /** See {@link SlotBroker}. */
  readonly claim: SlotBroker['claim'];
  /** Resolves when all workers know the current routes. `activate` and `remove` wait for this; `register` does not. */
  readonly routesKnown: SlotBroker['settled'];
}

/**
 * Creates the core: instances, admission and scaling of all services in one event loop. The core grants slots to workers, and a slot
 * that a worker holds counts as in flight, so the invariants of one process (I1–I9) hold across all of them.
 */
export function createGatewayCore(options: GatewayCoreOptions): GatewayCore {
  const { clock, logger, secret, onRecords, defer } = options;
  const policy: GatewayPolicy = { ...DEFAULT_POLICY, ...options.policy };
  const broker = createSlotBroker({ clock, logger, secret, policy, onRecords, defer, table: () => table });
  // Workers hold the connections. The core closes and breaks them off through the tunnel of a worker's lease.
  const createUpstream = ({ instanceId }: { readonly instanceId: string }): Upstream => ({
    open() {
      throw new Error('requests are served by workers');
    },
    prune(all = false) {
      if (all) broker.prune(instanceId);
    },
    destroy() {},
  });
  const table: ServiceTable = openTable(options, policy, createUpstream, broker.holders);
  return { gateway: table, attachWorker: broker.attach, claim: broker.claim, routesKnown: broker.settled };
}
