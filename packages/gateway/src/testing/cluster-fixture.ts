import { CONTAINER_MOUNTS } from '@berth/contract';
import { createIdSource, createSilentLogger, type InstanceId } from '@berth/kit';
import type { Instance, InstanceExit, InstanceSpec, Runtime } from '@berth/runtime';
import { createFakeClock, type FakeClock } from '@berth/testkit';
import { ClusterRoutes } from '../cluster/cluster-routes.ts';
import type { RevisionTarget } from '../port/gateway.ts';
import { DEFAULT_POLICY, type GatewayPolicy } from '../port/gateway-policy.ts';
import { createGatewayCore, type GatewayCore } from '../workers/create-gateway-core.ts';
import type { LeasedInstance } from '../workers/leased-instance.ts';
import { SlotClient } from '../workers/slot-client.ts';
import type { FromWorker, PartitionEpoch, ToWorker } from '../workers/worker-messages.ts';
import { createFakeLink, type FakeLink } from './fake-link.ts';
import { FakeTicket } from './fake-ticket.ts';
import { testTarget } from './test-target.ts';

/** A request at a gateway of the fixture. */
export type ClusterTicket = FakeTicket<LeasedInstance>;

/** A program that outlives the processes that start it. */
export interface FakePod {
  readonly id: InstanceId;
  readonly port: number;
  readonly spec: InstanceSpec;
  /** Whether a process has it. */
  isHeld: boolean;
  hasExited: boolean;
  exit(how?: Partial<InstanceExit>): void;
}

/** A process with a core, and with routes to all cores. */
export interface TestGateway {
  readonly name: string;
  readonly core: GatewayCore;
  readonly routes: ClusterRoutes;
  readonly tickets: ClusterTicket[];
  readonly active: Set<ClusterTicket>;
  isAlive: boolean;
  request(deployment?: string): ClusterTicket | undefined;
  finish(ticket: ClusterTicket): void;
  abandon(ticket: ClusterTicket): void;
}

/** Several gateways whose instances outlive them, over channels with delays. */
export interface ClusterFixture {
  readonly clock: FakeClock;
  readonly pods: readonly FakePod[];
  readonly gateways: readonly TestGateway[];
  living(): TestGateway[];
  start(name?: string): TestGateway;
  /** Gives partitions to a gateway, and starts its services with the instances that survive. Resolves when it counts them. */
  take(gateway: TestGateway, partitions: readonly number[]): Promise<void>;
  /** Lets a gateway give services away that it has. */
  leave(gateway: TestGateway, partitions: readonly number[]): Promise<void>;
  /** Kills the process of a gateway with its connections. */
  kill(gateway: TestGateway): void;
  /** Number of requests at living gateways that an instance serves. */
  inFlightOf(pod: FakePod): number;
}

/** Options of {@link createClusterFixture}. */
export interface ClusterFixtureOptions {
  /** The services, by name. */
  readonly targets?: readonly Partial<RevisionTarget>[];
  readonly policy?: Partial<GatewayPolicy>;
  readonly delayMs?: () => number;
  readonly startTakesMs?: number;
}

/** The partition of a service is the number in its name: `app-1`; 0 without one. */
export function partitionOf(deployment: string): number {
  return Number(/\d+$/.exec(deployment)?.[0] ?? 0);
}

/** Creates a fixture without gateways. */
export function createClusterFixture({
  targets = [{}],
  delayMs = () => 1,
  startTakesMs = 20,
  ...options
}: ClusterFixtureOptions = {}): ClusterFixture {
  const clock = createFakeClock();
  const policy = { ...DEFAULT_POLICY, ...options.policy };
  const pods: FakePod[] = [];
  const listening = new Set<number>();
  const gateways: TestGateway[] = [];
  const services = targets.map(testTarget);
  const ids = createIdSource(() => clock.nowMs());
  let epoch = 0;

  const makePod = (spec: InstanceSpec): FakePod => {
    const exited = Promise.withResolvers<InstanceExit>();
    const pod: FakePod & { readonly exited: Promise<InstanceExit> } = {
      ...{ id: spec.instanceId, port: pods.length + 1, spec, isHeld: true, hasExited: false, exited: exited.promise },
      exit(how = {}) {
        pod.hasExited = true;
        listening.delete(pod.port);
        const usual = { exitCode: null, signal: 'SIGKILL', isOutOfMemory: false, isRequested: false };
        exited.resolve({ ...usual, ...how });
      },
    };
    clock.setTimer(startTakesMs, () => void (pod.hasExited || listening.add(pod.port)));
    pods.push(pod);
    return pod;
  };

  const createRuntime = (isAlive: () => boolean): Runtime => ({
    name: 'fake',
    canSuspend: false,
    mountPolicy: CONTAINER_MOUNTS,
    exec: () => Promise.reject(new Error('no commands')),
    connect: () => Promise.reject(new Error('no connections')),
    async start(spec): Promise<Instance> {
      const survivor = pods.find(({ id, isHeld, hasExited }) => id === spec.instanceId && !isHeld && !hasExited);
      const pod = (survivor ?? makePod(spec)) as ReturnType<typeof makePod> & {
        readonly exited: Promise<InstanceExit>;
      };
      pod.isHeld = true;
      return {
        instanceId: pod.id,
        address: { host: '127.0.0.1', port: pod.port },
        port: spec.port,
        exited: pod.exited,
        stop() {
          if (isAlive()) pod.exit({ signal: 'SIGTERM', isRequested: true });
          return pod.exited;
        },
        release() {
          pod.isHeld = false;
        },
        stats: async () => ({ cpuMs: 0, memoryBytes: 0 }),
        listeningPorts: async () => [],
      };
    },
    survivors: ({ deployment }, revision) =>
      pods
        .filter(
          ({ spec, isHeld, hasExited }) =>
            !isHeld && !hasExited && spec.owner.deployment === deployment && spec.revision === revision,
        )
        .map(({ id }) => id),
    capabilities: async () => [],
    forget: async () => {},
    close: async () => {},
  });

  const links: {
    readonly borrower: TestGateway;
    readonly owner: TestGateway;
    readonly link: FakeLink<ToWorker, FromWorker>;
  }[] = [];
  const connect = (borrower: TestGateway, owner: TestGateway) => {
    const link = createFakeLink<ToWorker, FromWorker>(clock, delayMs);
    const client: SlotClient = new SlotClient({
      clock,
      shared: borrower.routes,
      port: {
        ...link.far,
        post(batch) {
          if (borrower.isAlive) link.far.post(batch);
        },
        onMessage: (handler) =>
          link.far.onMessage((batch) => {
            if (borrower.isAlive) handler(batch);
          }),
        onClose: (handler) =>
          link.far.onClose(() => {
            if (!borrower.isAlive) return;
            handler();
            borrower.routes.remove(client);
          }),
      },
      defer: (callback) => void clock.setTimer(0, callback),
      createUpstreams:
        () =>
        ({ port }) => ({
          open() {
            throw new Error('not in this fixture');
          },
          prune() {},
          destroy() {
            for (const ticket of [...borrower.active]) {
              if (pods[port - 1]?.id === ticket.instance?.id) borrower.finish(ticket);
            }
          },
        }),
    });
    borrower.routes.add(client);
    owner.core.attachWorker(link.near, { onUnresponsive: () => {} });
    links.push({ borrower, owner, link });
  };

  const fixture: ClusterFixture = {
    ...{ clock, pods, gateways },
    living: () => gateways.filter(({ isAlive }) => isAlive),
    start(name = `gateway-${gateways.length + 1}`) {
      const core = createGatewayCore({
        runtime: createRuntime(() => gateway.isAlive),
        ...{ clock, ids, policy, logger: createSilentLogger(), secret: 'secret', onRecords() {} },
        events: { onRequest() {}, onInstance() {}, onOutput() {} },
        budget: { memoryBytes: 1_000_000, simultaneousStarts: 4 },
        probes: {
          port: async ({ port }) => listening.has(port),
          http2: async () => 'http1',
          http: async ({ port }) => (listening.has(port) ? { status: 200 } : { problem: 'refused the connection' }),
        },
        defer: (callback) => void clock.setTimer(0, callback),
      });
      const routes = new ClusterRoutes({ clock, policy, partitionOf });
      for (const target of services) routes.know(target);
      const gateway: TestGateway = {
        ...{ name, core, routes, tickets: [], active: new Set(), isAlive: true },
        request(deployment = 'hello') {
          const route = gateway.isAlive ? routes.find(deployment) : undefined;
          if (!route?.current) return undefined;
          const ticket: ClusterTicket = new FakeTicket<LeasedInstance>(
            gateway.tickets.length,
            clock.monotonicMs(),
            route.current.target.timeoutMs,
            (granted) => gateway.active.add(granted),
          );
          gateway.tickets.push(ticket);
          deploymentOf.set(ticket, deployment);
          route.current.admit(ticket);
          return ticket;
        },
        finish(ticket) {
          if (ticket.instance !== null && gateway.active.delete(ticket)) ticket.pool?.release(ticket.instance);
        },
        abandon(ticket) {
          if (ticket.isQueued) routes.find(deploymentOf.get(ticket) ?? '')?.current?.withdraw(ticket);
        },
      };
      gateways.push(gateway);
      for (const other of fixture.living()) {
        connect(gateway, other);
        if (other !== gateway) connect(other, gateway);
      }
      return gateway;
    },
    async take({ core, name }, partitions) {
      epoch++;
      const mine = partitions.map((number): PartitionEpoch => ({ number, epoch }));
      held.set(name, [...(held.get(name) ?? []), ...mine]);
      await core.claim(held.get(name) ?? []);
      for (const target of services) {
        if (!partitions.includes(partitionOf(target.deployment))) continue;
        const survivors = createRuntime(() => true).survivors?.(target, target.revision) ?? [];
        core.gateway.take(target, survivors);
      }
    },
    leave({ core, name }, partitions) {
      held.set(
        name,
        (held.get(name) ?? []).filter(({ number }) => !partitions.includes(number)),
      );
      return core.gateway.leave((deployment) => partitions.includes(partitionOf(deployment)));
    },
    kill(gateway) {
      gateway.isAlive = false;
      gateway.active.clear();
      for (const pod of pods) if (ownerOf(pod) === gateway) pod.isHeld = false;
      for (const { borrower, owner, link } of links) {
        if (borrower === gateway) link.kill();
        if (owner === gateway) link.killNear();
      }
    },
    inFlightOf: (pod) =>
      fixture
        .living()
        .flatMap(({ active }) => [...active])
        .filter(({ instance }) => instance?.id === pod.id).length,
  };
  const held = new Map<string, PartitionEpoch[]>();
  const deploymentOf = new Map<ClusterTicket, string>();
  const ownerOf = (pod: FakePod) =>
    gateways.find(({ name }) =>
      held.get(name)?.some(({ number }) => number === partitionOf(pod.spec.owner.deployment)),
    );
  return fixture;
}
