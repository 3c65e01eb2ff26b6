import type { Clock, Timer } from '@berth/kit';
import { createSilentLogger } from '@berth/kit';
import type { ServiceInstance } from '../instances/service-instance.ts';
import type { RevisionTarget } from '../port/gateway.ts';
import type { GatewayPolicy } from '../port/gateway-policy.ts';
import type { LeasedInstance } from '../workers/leased-instance.ts';
import { createSlotBroker, type SlotBroker } from '../workers/slot-broker.ts';
import { SlotClient } from '../workers/slot-client.ts';
import type { FromWorker, ToWorker } from '../workers/worker-messages.ts';
import { createFakeLink } from './fake-link.ts';
import { FakeTicket } from './fake-ticket.ts';
import { createServiceFixture, type ServiceFixture } from './service-fixture.ts';
import { testTarget } from './test-target.ts';

/** A request of a {@link TestWorker}. */
export type WorkerTicket = FakeTicket<LeasedInstance>;

/** A worker of a {@link WorkerFixture}. */
export interface TestWorker {
  readonly client: SlotClient;
  /** All requests to the worker, in order. */
  readonly tickets: WorkerTicket[];
  readonly active: Set<WorkerTicket>;
  /** Requests that asked the core for a slot, in the order of the grants. */
  readonly grantedByCore: WorkerTicket[];
  /** Numbers of messages (not batches) to and from the worker. */
  readonly messages: { toWorker: number; fromWorker: number };
  isAlive: boolean;
  isHung: boolean;
  request(deployment?: string, changes?: Partial<WorkerTicket>): WorkerTicket | undefined;
  finish(ticket: WorkerTicket): void;
  abandon(ticket: WorkerTicket): void;
  kill(): void;
  hang(): void;
}

/** A {@link ServiceFixture} whose requests are served by workers, over channels with delays. */
export interface WorkerFixture extends ServiceFixture {
  readonly workers: TestWorker[];
  /** Returns the workers that are neither killed nor hung. */
  living(): TestWorker[];
  startWorker(): TestWorker;
  /** Requests that were granted a slot of an instance that drains because its revision was replaced or removed. */
  readonly lateGrants: string[];
  findInstance(id: string): ServiceInstance | undefined;
}

/** Options of {@link createWorkerFixture}. */
export interface WorkerFixtureOptions {
  readonly target?: Partial<RevisionTarget>;
  readonly policy?: Partial<GatewayPolicy>;
  readonly memoryBytes?: number;
  readonly canSuspend?: boolean;
  readonly delayMs?: () => number;
}

/** Creates a fixture with one registered deployment and no workers. */
export function createWorkerFixture({
  target = {},
  delayMs = () => 1,
  ...options
}: WorkerFixtureOptions): WorkerFixture {
  let broker: SlotBroker | undefined;
  const workers: TestWorker[] = [];
  const lateGrants: string[] = [];
  /** Instances that were not ready at some time, including those of removed services. */
  const notReady = new Map<string, ServiceInstance>();
  const living = () => workers.filter(({ isAlive, isHung }) => isAlive && !isHung);
  const base = createServiceFixture({
    ...options,
    serves: (id) => living().some(({ active }) => [...active].some(({ instance }) => instance?.id === id)),
    holders(clock, policy, table) {
      broker = createSlotBroker({
        clock,
        policy,
        table,
        logger: createSilentLogger(),
        secret: 'secret',
        onRecords() {},
        defer: (callback) => void clock.setTimer(0, callback),
      });
      const { holders } = broker;
      return {
        ...holders,
        onNotReady(instance) {
          notReady.set(instance.id, instance);
          holders.onNotReady(instance);
        },
      };
    },
  });
  const { clock, table } = base;
  table.register(testTarget(target));

  const findInstance = (id: string) => {
    for (const service of table.services()) {
      for (const { fleet } of service.pools) for (const instance of fleet.all) if (instance.id === id) return instance;
    }
    return undefined;
  };

  const startWorker = (): TestWorker => {
    // The monotonic clocks of different processes are unrelated.
    const offsetMs = 1_000_003 * (workers.length + 1);
    const timers = new Set<Timer>();
    const ownClock: Clock = {
      ...clock,
      monotonicMs: () => clock.monotonicMs() + offsetMs,
      setTimer(delayMs, callback) {
        const timer = clock.setTimer(delayMs, () => {
          timers.delete(timer);
          callback();
        });
        timers.add(timer);
        return timer;
      },
    };
    /** Stops all timers of a process that is killed or hangs. */
    const stand = () => {
      for (const timer of timers) timer.cancel();
    };
    const link = createFakeLink<ToWorker, FromWorker>(clock, delayMs);
    const messages = { toWorker: 0, fromWorker: 0 };
    const client: SlotClient = new SlotClient({
      clock: ownClock,
      port: {
        ...link.far,
        post(batch) {
          if (!worker.isAlive || worker.isHung) return;
          messages.fromWorker += batch.length;
          link.far.post(batch);
        },
        onMessage: (handler) =>
          link.far.onMessage((batch) => {
            messages.toWorker += batch.length;
            handler(batch);
          }),
      },
      defer: (callback) => void ownClock.setTimer(0, callback),
      createUpstreams: () => () => ({
        open() {
          throw new Error('not in this fixture');
        },
        prune() {},
        destroy() {
          for (const ticket of [...worker.active]) if (ticket.instance?.upstream === this) worker.finish(ticket);
        },
      }),
    });
    const onGrant = (ticket: WorkerTicket) => {
      worker.active.add(ticket);
      if (asked.has(ticket)) worker.grantedByCore.push(ticket);
      const instance = notReady.get(ticket.instance?.id ?? '');
      const isReplaced = instance?.stopReason === 'replaced' || instance?.stopReason === 'deleted';
      if (worker.isAlive && !worker.isHung && isReplaced) lateGrants.push(`${ticket.number} on ${instance.id}`);
    };
    const asked = new Set<WorkerTicket>();
    const worker: TestWorker = {
      client,
      tickets: [],
      active: new Set(),
      grantedByCore: [],
      messages,
      isAlive: true,
      isHung: false,
      request(deployment = 'hello', changes = {}) {
        const pool = client.find(deployment)?.current;
        if (!pool || !worker.isAlive) return undefined;
        const ticket: WorkerTicket = new FakeTicket<LeasedInstance>(
          worker.tickets.length,
          ownClock.monotonicMs(),
          pool.target.timeoutMs,
          onGrant,
        );
        Object.assign(ticket, changes);
        worker.tickets.push(ticket);
        pool.admit(ticket);
        if (ticket.isQueued) asked.add(ticket);
        return ticket;
      },
      finish(ticket) {
        if (ticket.instance !== null && worker.active.delete(ticket)) ticket.pool?.release(ticket.instance);
      },
      abandon(ticket) {
        if (ticket.isQueued) client.find('hello')?.current?.withdraw(ticket);
      },
      kill() {
        worker.isAlive = false;
        stand();
        worker.active.clear();
        link.kill();
      },
      hang() {
        worker.isHung = true;
        stand();
        link.hang();
      },
    };
    workers.push(worker);
    broker?.attach(link.near, {
      onUnresponsive() {
        worker.isAlive = false;
        worker.active.clear();
      },
    });
    return worker;
  };

  return Object.assign(base, {
    workers,
    living,
    startWorker,
    lateGrants,
    findInstance,
  });
}
