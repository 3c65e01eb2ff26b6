import type { SlotHolders } from '../services/slot-holders.ts';
import type { MessagePort } from './message-port.ts';
import type { FromWorker, ToWorker } from './worker-messages.ts';
import { WorkerSession, type WorkerSessionContext } from './worker-session.ts';

/** Options of {@link createSlotBroker}. */
export interface SlotBrokerOptions extends Omit<WorkerSessionContext, 'find' | 'isClosing'> {
  /** Returns the table whose slots are brokered. Not called before a worker is attached. */
  readonly table: () => Pick<WorkerSessionContext, 'find'> & {
    readonly isClosing: boolean;
    services(): Parameters<WorkerSession['begin']>[0];
  };
}

/** Options of {@link SlotBroker.attach}. */
export interface AttachOptions {
  /** Called when the worker does not respond or breaks the protocol, so that its process is ended. Its slots are freed already. */
  readonly onUnresponsive: () => void;
}

/** The workers of a gateway. */
export interface SlotBroker {
  /** The workers, as pools notify them. */
  readonly holders: SlotHolders;
  /** Serves a worker until its port closes; then all slots that the worker held are freed. */
  attach(port: MessagePort<FromWorker, ToWorker>, options: AttachOptions): void;
  /** Resolves when all workers have processed every message sent so far. */
  settled(): Promise<void>;
  /** Makes all workers close their idle connections to an instance. */
  prune(instanceId: string): void;
}

/** Creates a broker without workers. */
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
