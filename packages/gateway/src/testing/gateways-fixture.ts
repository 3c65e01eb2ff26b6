import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { CONTAINER_MOUNTS } from '@berth/contract';
import { createIdSource, createSilentLogger, createSystemClock, type InstanceId } from '@berth/kit';
import type { Instance, InstanceExit, InstanceSpec, Runtime } from '@berth/runtime';
import type { ClusterGateway } from '../cluster/cluster-gateway.ts';
import { createClusterGateway } from '../cluster/create-cluster-gateway.ts';
import { openPeerNetwork, type Peer } from '../cluster/peer-link.ts';
import { createFrontServer } from '../front/create-front-server.ts';
import type { InstanceEvent, RequestRecord } from '../port/gateway.ts';
import { DEFAULT_POLICY, type GatewayPolicy } from '../port/gateway-policy.ts';
import { partitionOf } from './cluster-fixture.ts';

/** A program that outlives the gateways. */
export interface SharedInstance {
  readonly id: InstanceId;
  readonly spec: InstanceSpec;
  readonly server: Server;
}

/** One of the gateways, which listens on loopback. */
export interface ListeningGateway {
  readonly id: string;
  readonly gateway: ClusterGateway;
  readonly origin: string;
  readonly requests: RequestRecord[];
  readonly events: InstanceEvent[];
  /** Sends a request to a service through this gateway. */
  fetch(deployment: string, path?: string): Promise<Response>;
}

/** Several gateways in this process, over real sockets. */
export interface GatewaysFixture extends AsyncDisposable {
  readonly instances: readonly SharedInstance[];
  start(id: string): Promise<ListeningGateway>;
  /** Gives a partition to a gateway, whoever had it. The one before learns that it has lost it. */
  assign(partition: number, to: ListeningGateway): void;
  /** As `assign`, in an orderly way: the one before gives it up first. */
  move(partition: number, to: ListeningGateway): Promise<void>;
  /** Ends a gateway with all its connections, and then tells the others. */
  kill(gateway: ListeningGateway): Promise<void>;
}

/** Creates a fixture without gateways. @param program the program of every instance */
export function createGatewaysFixture(program: RequestListener, changes: Partial<GatewayPolicy> = {}): GatewaysFixture {
  const policy = { ...DEFAULT_POLICY, ...changes };
  const instances: (SharedInstance & { readonly exited: Promise<InstanceExit>; holder: string })[] = [];
  const owners = new Map<number, string>();
  const peers = new Map<string, Peer>();
  const running = new Map<string, ListeningGateway & { end(): Promise<void> }>();
  let epoch = 0;

  const createRuntime = (self: string): Runtime => ({
    name: 'shared',
    canSuspend: false,
    mountPolicy: CONTAINER_MOUNTS,
    exec: () => Promise.reject(new Error('no commands')),
    connect: () => Promise.reject(new Error('no connections')),
    async start(spec): Promise<Instance> {
      const survivor = instances.find(({ id }) => id === spec.instanceId);
      const exited = Promise.withResolvers<InstanceExit>();
      const server = survivor?.server ?? createServer(program);
      if (!survivor) {
        server.listen(0, '127.0.0.1');
        await once(server, 'listening');
      }
      const instance = survivor ?? { id: spec.instanceId, spec, server, exited: exited.promise, holder: self };
      instance.holder = self;
      if (!survivor) instances.push(instance);
      const { port } = server.address() as { port: number };
      return {
        instanceId: instance.id,
        address: { host: '127.0.0.1', port },
        port: spec.port,
        exited: instance.exited,
        async stop() {
          const exit = { exitCode: null, signal: 'SIGTERM', isOutOfMemory: false, isRequested: true } as const;
          if (!running.has(self)) return exit;
          server.closeAllConnections();
          server.close();
          instances.splice(instances.indexOf(instance), 1);
          exited.resolve(exit);
          return exit;
        },
        release() {
          instance.holder = '';
        },
        stats: async () => ({ cpuMs: 0, memoryBytes: 0 }),
        listeningPorts: async () => [],
      };
    },
    survivors: ({ deployment }, revision) =>
      instances
        .filter(({ spec }) => spec.owner.deployment === deployment && spec.revision === revision)
        .filter(({ holder }) => holder !== self)
        .map(({ id }) => id),
    capabilities: async () => [],
    forget: async () => {},
    close: async () => {},
  });

  const tellMembers = () => {
    for (const { gateway } of running.values()) gateway.onMembers();
  };

  return {
    instances,
    async start(id) {
      const logger = createSilentLogger();
      const network = await openPeerNetwork({ id, host: '127.0.0.1', port: 0, key: KEY, logger });
      const requests: RequestRecord[] = [];
      const events: InstanceEvent[] = [];
      const gateway = createClusterGateway({
        ...{ self: id, network, partitionOf, policy, logger, runtime: createRuntime(id) },
        clock: createSystemClock(),
        ids: createIdSource(),
        secret: 'a secret of a test, thirty-two bytes',
        budget: { memoryBytes: 10_000, simultaneousStarts: 4 },
        membership: () => ({
          peers: [...peers.values()],
          ownerOf: (deployment) => peers.get(owners.get(partitionOf(deployment)) ?? ''),
          isHeld: (deployment) => owners.get(partitionOf(deployment)) === id,
        }),
        events: {
          onRequest: (record) => requests.push(record),
          onInstance: (event) => events.push(event),
          onOutput() {},
        },
      });
      const deploymentOf = (host = '') => host.split(/[.:]/)[0] ?? '';
      const front = createFrontServer({
        onRequest: (request, response) =>
          gateway.handleRequest(nameOf(request.url) ?? deploymentOf(request.headers.host), request, response),
        onUpgrade: (request, socket, head) =>
          gateway.handleUpgrade(deploymentOf(request.headers.host), request, socket, head),
      });
      front.server.listen(0, '127.0.0.1');
      await once(front.server, 'listening');
      const origin = `http://127.0.0.1:${(front.server.address() as { port: number }).port}`;
      const started = {
        ...{ id, gateway, origin, requests, events },
        fetch: (deployment: string, path = '/') => fetch(`${origin}/${deployment}${path}`),
        async end() {
          await network.close();
          await front.close();
        },
      };
      running.set(id, started);
      peers.set(id, { id, address: `127.0.0.1:${network.port}` });
      tellMembers();
      return started;
    },
    assign(partition, { id, gateway }) {
      const before = running.get(owners.get(partition) ?? '');
      owners.set(partition, id);
      before?.gateway.lose([partition]);
      gateway.take([{ number: partition, epoch: ++epoch }]);
      tellMembers();
    },
    async move(partition, { id, gateway }) {
      const before = running.get(owners.get(partition) ?? '');
      await before?.gateway.giveUp([partition]);
      owners.set(partition, id);
      before?.gateway.lose([partition]);
      gateway.take([{ number: partition, epoch: ++epoch }]);
      tellMembers();
    },
    async kill({ id }) {
      const killed = running.get(id);
      running.delete(id);
      await killed?.end();
      peers.delete(id);
      for (const [partition, owner] of owners) if (owner === id) owners.delete(partition);
      tellMembers();
    },
    async [Symbol.asyncDispose]() {
      for (const { gateway } of running.values()) await gateway.close({ drainMs: 0 });
      for (const one of running.values()) await one.end();
      for (const { server } of instances) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

const KEY = new Uint8Array(32).fill(7);

/** `fetch` sets the host itself, so the service is the first part of the path. */
function nameOf(url = ''): string | undefined {
  return /^\/([a-z0-9-]+)\//.exec(url)?.[1];
}
