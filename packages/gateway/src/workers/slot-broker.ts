import type { SlotHolders } from '../services/slot-holders.ts';
import type { MessagePort } from './message-port.ts';
import type { FromWorker, PartitionEpoch, ToWorker } from './worker-messages.ts';
import { WorkerSession, type WorkerSessionContext } from './worker-session.ts';

/** Options of {@link createSlotBroker}. */
export interface SlotBrokerOptions extends Omit<WorkerSessionContext, 'find' | 'isClosing'> {
  /** Returns the table whose slots are brokered. Not called before a worker is attached. */
  readonly table: () => Pick<WorkerSessionContext, 'find'> & {
    readonly isClosing: boolean;
    services(): Parameters<WorkerSession['begin']>[0];
  };
}

/** How a worker is attached. */
export interface AttachOptions {
  /** Called when the worker does not respond or breaks the protocol, so that its process is ended. Its slots are freed already. */
  readonly onUnresponsive: () => void;
  /** It has the policy and the secret already; by default it is sent them. */
  readonly isSetUp?: boolean;
}

/** The workers of a gateway. */
export type SlotBroker = ReturnType<typeof createSlotBroker>;

/** Creates a broker without workers. */
export function createSlotBroker({ table, ...options }: SlotBrokerOptions) {
  const sessions = new Set<WorkerSession>();
  const context: WorkerSessionContext = {
    ...options,
    find: (deployment) => table().find(deployment),
    isClosing: () => table().isClosing,
  };
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
    onAdopted(instance, pool) {
      let held = 0;
      for (const session of sessions) held += session.adopt(instance, pool);
      return held;
    },
    async onMoved(deployment) {
      await Promise.all([...sessions].map((session) => session.moved(deployment)));
    },
  };
  let claimed: readonly PartitionEpoch[] = [];
  return {
    /** The workers, as pools notify them. */
    holders,
    /**
     * Serves a worker until its port closes; then all slots that the worker held are freed.
     */
    attach(port: MessagePort<FromWorker, ToWorker>, options: AttachOptions): void {
      const session = new WorkerSession(context, port, { ...options, onEnd: (ended) => sessions.delete(ended) });
      sessions.add(session);
      session.begin(table().services(), options.isSetUp);
      if (claimed.length > 0) void session.claim(claimed);
    },
    /**
     * Tells all workers, and those that come later, which partitions this core has: all of them. Resolves when they have declared the slots
     * that they use in those that are new.
     */
    async claim(partitions: readonly PartitionEpoch[]): Promise<void> {
      const before = new Map(claimed.map(({ number, epoch }) => [number, epoch]));
      const added = partitions.filter(({ number, epoch }) => before.get(number) !== epoch);
      claimed = partitions;
      if (added.length > 0) await Promise.all([...sessions].map((session) => session.claim(added)));
    },
    /** Resolves when all workers have processed every message sent so far. */
    async settled(): Promise<void> {
      await Promise.all([...sessions].map((session) => session.settled()));
    },
    /** Makes all workers close their idle connections to an instance. */
    prune(instanceId: string): void {
      for (const session of sessions) session.prune(instanceId);
    },
  };
}
