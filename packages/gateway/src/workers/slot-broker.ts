import type { SlotHolders } from '../services/slot-holders.ts';
import type { MessagePort } from './message-port.ts';
import type { FromWorker, ToWorker } from './worker-messages.ts';
import { WorkerSession, type WorkerSessionContext } from './worker-session.ts';

/** What a broker is made of. */
export interface SlotBrokerOptions extends Omit<WorkerSessionContext, 'find' | 'isClosing'> {
  /** The table whose slots it brokers; not asked before a worker is attached. */
  readonly table: () => Pick<WorkerSessionContext, 'find'> & {
    readonly isClosing: boolean;
    services(): Parameters<WorkerSession['begin']>[0];
  };
}

/** What is needed to have a worker. */
export interface AttachOptions {
  /** It does not do what it is told: end its process. Its slots are free already. */
  readonly onUnresponsive: () => void;
}

/** All workers of a gateway. */
export interface SlotBroker {
  readonly holders: SlotHolders;
  /** Serves a worker until the port closes; then all that it held is free. */
  attach(port: MessagePort<FromWorker, ToWorker>, options: AttachOptions): void;
  /** Resolves when all workers have done what they were told so far. */
  settled(): Promise<void>;
  /** Has idle connections to an instance closed. */
  prune(instanceId: string): void;
}

export function createSlotBroker({ table, ...options }: SlotBrokerOptions): SlotBroker {
  const sessions = new Set<WorkerSession>();
  const context: WorkerSessionContext = {
    ...options,
    find: (deployment) => table().find(deployment),
    isClosing: () => table().isClosing,
  };
  return {
    holders: {
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
    },
    attach(port, { onUnresponsive }) {
      const session = new WorkerSession(context, port, {
        onUnresponsive,
        onEnd: (ended) => sessions.delete(ended),
      });
      sessions.add(session);
      session.begin(table().services());
    },
    async settled() {
      await Promise.all([...sessions].map((session) => session.settled()));
    },
    prune(instanceId) {
      for (const session of sessions) session.prune(instanceId);
    },
  };
}
