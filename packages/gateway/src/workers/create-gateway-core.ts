import { openTable, type PlatformParts, tableControl } from '../compose/open-table.ts';
import type { GatewayControl } from '../port/gateway.ts';
import { DEFAULT_POLICY, type GatewayPolicy } from '../port/gateway-policy.ts';
import type { Upstream } from '../port/upstream.ts';
import type { ServiceTable } from '../services/service-table.ts';
import type { Defer } from './outbox.ts';
import { createSlotBroker, type SlotBroker } from './slot-broker.ts';

/** What the core of a gateway is built with. */
export interface GatewayCoreOptions extends PlatformParts {
  readonly policy?: Partial<GatewayPolicy>;
  /** Takes the records of requests that ended in workers, encoded; `events.onRequest` is never called here. */
  readonly onRecords: (records: Uint8Array, count: number) => void;
  /** When what is to be said to workers is sent; at the end of the event loop's turn by default. */
  readonly defer?: Defer;
}

/** A gateway whose requests are served by other processes. */
export interface GatewayCore {
  readonly gateway: GatewayControl;
  /** Serves a worker until the port closes; then all that it held is free. */
  readonly attachWorker: SlotBroker['attach'];
  /** Resolves when all workers know the routes there are now: `register` does not wait for it, `activate` and `remove` do. */
  readonly routesKnown: SlotBroker['settled'];
}

/**
 * Makes the core: instances, admission and scaling of all services, one event loop. Slots are granted to workers, and what a worker
 * holds counts as in flight, so that all that holds in one process (I1–I9) holds over all of them.
 */
export function createGatewayCore(options: GatewayCoreOptions): GatewayCore {
  const { clock, logger, secret, onRecords, defer } = options;
  const policy: GatewayPolicy = { ...DEFAULT_POLICY, ...options.policy };
  const broker = createSlotBroker({ clock, logger, secret, policy, onRecords, defer, table: () => table });
  // Connections are the workers'; a tunnel of theirs stands for what has to be closed or broken off.
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
  return { gateway: tableControl(table, policy), attachWorker: broker.attach, routesKnown: broker.settled };
}
