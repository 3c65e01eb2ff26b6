import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { connect, type Server, type Socket } from 'node:net';
import { createIdSource, createSilentLogger, createSystemClock } from '@berth/kit';
import { createFakeRuntime, type FakeInstance, type FakeRuntime } from '@berth/testkit';
import { createGateway, type GatewayOptions } from '../compose/create-gateway.ts';
import { createFrontServer, type FrontLimits } from '../front/create-front-server.ts';
import type { Gateway, InstanceEvent, RequestRecord } from '../port/gateway.ts';
import { createGatewayCore } from '../workers/create-gateway-core.ts';
import { createWorkerGateway } from '../workers/create-worker-gateway.ts';
import { readRecords } from '../workers/record-batch.ts';
import type { FromWorker, ToWorker } from '../workers/worker-messages.ts';
import { createFakeLink } from './fake-link.ts';
import { testTarget } from './test-target.ts';

/** The program of an instance: any server that listens on a loopback port. */
export interface TestProgram {
  listen(port: number, host: string): unknown;
  once(event: 'listening', listener: () => void): unknown;
  address(): unknown;
  close(): unknown;
  closeAllConnections?(): void;
}

/** A fixture with a gateway between a real front server and real programs, all in this process. */
export interface WireFixture extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly runtime: FakeRuntime;
  readonly server: Server;
  readonly port: number;
  readonly origin: string;
  readonly requests: RequestRecord[];
  readonly events: InstanceEvent[];
  /** Opens a raw connection to the gateway. */
  connect(): Promise<Socket>;
  /** Sends text over a raw connection and returns all text received until the gateway closes it. */
  exchange(text: string): Promise<string>;
  /** Destroys an instance's sockets and closes its port, without an exit. */
  shut(instance: FakeInstance): void;
  /** Crashes an instance: its sockets are destroyed, then it exits. */
  crash(instance: FakeInstance): void;
}

/** Options of {@link createWireFixture}. */
export interface WireFixtureOptions extends Partial<Omit<GatewayOptions, 'runtime' | 'events'>> {
  /** Creates the program of a revision. */
  readonly program: (revision: string) => TestProgram | Promise<TestProgram>;
  readonly limits?: Partial<FrontLimits>;
  /** `all`: passes every upgrade to the gateway, not only WebSockets. */
  readonly upgrades?: 'all';
  /** The revision that is registered before the first request; `null` for none. */
  readonly target?: Parameters<typeof testTarget>[0] | null;
}

/** Returns a program that runs a request listener. */
export function httpProgram(listener: RequestListener): TestProgram {
  return createServer(listener);
}

/** Whether fixtures serve requests through a worker and a core (the lane `gateway-workers`) instead of a single gateway. */
const isInWorker = process.env['BERTH_TEST_WIRE'] === 'worker';

/** A single gateway, or one split into a core and a worker. */
interface WireGateway extends Gateway {
  /** Resolves when the worker knows all registered routes. */
  settled?(): Promise<void>;
}

/** Creates a gateway that is split into a core and a worker, connected by a fake channel. */
function createGatewayWithWorker({ events, trustedProxies, random, ...options }: GatewayOptions): WireGateway {
  const core = createGatewayCore({
    ...options,
    events,
    onRecords(records) {
      for (const record of readRecords(records)) events.onRequest(record);
    },
  });
  const { near, far } = createFakeLink<ToWorker, FromWorker>(options.clock, () => 0);
  core.attachWorker(near, { onUnresponsive: () => far.close() });
  const worker = createWorkerGateway({
    port: far,
    clock: options.clock,
    ...(trustedProxies && { trustedProxies }),
    ...(random && { random }),
  });
  return {
    ...core.gateway,
    settled: () => core.routesKnown(),
    setTraffic: worker.setTraffic,
    handleRequest: worker.handleRequest,
    handleUpgrade: worker.handleUpgrade,
    async close(closing) {
      await core.gateway.close(closing);
      await worker.close({ drainMs: 0 });
    },
  };
}

/** Creates a fixture. The first label of a request's host names its deployment. */
export async function createWireFixture({
  program,
  target = {},
  limits,
  upgrades,
  ...options
}: WireFixtureOptions): Promise<WireFixture> {
  const requests: RequestRecord[] = [];
  const events: InstanceEvent[] = [];
  const servers = new Map<number, TestProgram>();
  const stop = (port: number) => {
    servers.get(port)?.closeAllConnections?.();
    servers.get(port)?.close();
    servers.delete(port);
  };
  const runtime = createFakeRuntime({
    async run({ spec }) {
      const server = await program(spec.revision);
      server.listen(0, '127.0.0.1');
      await new Promise<void>((resolve) => server.once('listening', resolve));
      const { port } = server.address() as { port: number };
      servers.set(port, server);
      return { port, onStop: () => stop(port) };
    },
  });
  const gateway: WireGateway = (isInWorker ? createGatewayWithWorker : createGateway)({
    runtime,
    clock: createSystemClock(),
    ids: createIdSource(),
    logger: createSilentLogger(),
    secret: 'a secret of a test, thirty-two bytes',
    budget: { memoryBytes: 10_000, simultaneousStarts: 4 },
    ...options,
    events: {
      onRequest: (record) => requests.push(record),
      onInstance: (event) => events.push(event),
      onOutput() {},
    },
  });
  if (target !== null) gateway.register(testTarget(target));
  await gateway.settled?.();

  const deploymentOf = (host = '') => host.split(/[.:]/)[0] ?? '';
  const front = createFrontServer({
    onRequest: (request, response) => {
      gateway.handleRequest(deploymentOf(request.headers.host), request, response);
    },
    onUpgrade: (request, socket, head) => {
      gateway.handleUpgrade(deploymentOf(request.headers.host), request, socket, head);
    },
    services: { find: (host) => deploymentOf(host), serve: gateway.handleRequest },
    ...(limits === undefined ? {} : { limits }),
  });
  const { server } = front;
  if (upgrades === 'all')
    (server as unknown as { shouldUpgradeCallback: () => boolean }).shouldUpgradeCallback = () => true;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };

  const open = async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };

  return {
    gateway,
    runtime,
    server,
    port,
    origin: `http://127.0.0.1:${port}`,
    requests,
    events,
    connect: open,
    async exchange(text) {
      const socket = await open();
      let answer = '';
      socket.on('data', (chunk) => {
        answer += chunk.toString('latin1');
      });
      socket.on('error', () => {});
      socket.write(text, 'latin1');
      await once(socket, 'close');
      return answer;
    },
    shut: (instance) => stop(instance.address.port),
    crash(instance) {
      stop(instance.address.port);
      instance.exit({ exitCode: null, signal: 'SIGKILL' });
    },
    async [Symbol.asyncDispose]() {
      await gateway.close({ drainMs: 0 });
      await front.close();
      for (const port of [...servers.keys()]) stop(port);
    },
  };
}
