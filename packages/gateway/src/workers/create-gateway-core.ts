import type { Clock, Logger } from '@berth/kit';
import type { GatewayControl } from '../gateway.ts';
import { DEFAULT_POLICY, type GatewayPolicy } from '../policy.ts';
import { openTable, type PlatformParts, tableControl } from '../services/open-table.ts';
import type { ServiceTable } from '../services/service-table.ts';
import type { SlotHolders } from '../services/slot-holders.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { MessagePort } from './message-port.ts';
import type { Defer } from './outbox.ts';
import type { FromWorker, ToWorker } from './worker-messages.ts';
import { WorkerSession } from './worker-session.ts';

/** What the core of a gateway is built with. */
export interface GatewayCoreOptions extends PlatformParts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly policy?: Partial<GatewayPolicy>;
  /** Takes the records of requests that ended in workers; see {@link readRecords}. `events.onRequest` is never called here. */
  readonly onRecords: (records: Uint8Array, count: number) => void;
  /** When what is to be said to workers is sent; at the end of the event loop's turn by default. */
  readonly defer?: Defer;
}

/** What is needed to have a worker. */
export interface AttachOptions {
  /** It does not do what it is told: end its process. Its slots are free already. */
  readonly onUnresponsive: () => void;
}

/** A gateway whose requests are served by other processes. */
export interface GatewayCore {
  readonly gateway: GatewayControl;
  /** Serves a worker until the port closes; then all that it held is free. */
  attachWorker(port: MessagePort<FromWorker, ToWorker>, options: AttachOptions): void;
}

/**
 * Makes the core: instances, admission and scaling of all services, one event loop. Slots are granted to workers, and what a worker
 * holds counts as in flight, so that all that holds in one process (I1–I9) holds over all of them.
 */
export function createGatewayCore(options: GatewayCoreOptions): GatewayCore {
  const { clock, logger, secret, onRecords, defer } = options;
  const policy: GatewayPolicy = { ...DEFAULT_POLICY, ...options.policy };
  const sessions = new Set<WorkerSession>();
  const holders: SlotHolders = {
    async onRoute(route) {
      await Promise.all([...sessions].map((session) => session.route(route)));
    },
    onCrowded(pool) {
      for (const session of sessions) session.crowded(pool);
    },
    onNotReady(instance) {
      for (const session of sessions) session.notReady(instance);
    },
    onGone(instance) {
      for (const session of sessions) session.gone(instance);
    },
  };
  // Connections are the workers'; a tunnel of theirs stands for what has to be closed or broken off.
  const createUpstream = (_target: unknown, { instanceId }: { readonly instanceId: string }): Upstream => ({
    open() {
      throw new Error('requests are served by workers');
    },
    prune(all = false) {
      if (all) for (const session of sessions) session.prune(instanceId);
    },
    destroy() {},
  });
  const table: ServiceTable = openTable(options, policy, createUpstream, holders);
  const context = {
    ...{ clock, logger, secret, policy, onRecords, defer },
    find: table.find,
    isClosing: () => table.isClosing,
  };

  return {
    gateway: tableControl(table, policy),
    attachWorker(port, { onUnresponsive }) {
      const session = new WorkerSession(context, port, {
        onUnresponsive,
        onEnd: (ended) => sessions.delete(ended),
      });
      sessions.add(session);
      session.begin(table.services());
    },
  };
}
