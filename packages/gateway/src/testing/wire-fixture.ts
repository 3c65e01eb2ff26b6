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

/** What runs as an instance: anything that listens on a port of loopback. */
export interface TestProgram {
  listen(port: number, host: string): unknown;
  once(event: 'listening', listener: () => void): unknown;
  address(): unknown;
  close(): unknown;
  closeAllConnections?(): void;
}

/** A gateway behind a real server, in front of real servers, all of this process. */
export interface WireFixture extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly runtime: FakeRuntime;
  readonly server: Server;
  readonly port: number;
  readonly origin: string;
  readonly requests: RequestRecord[];
  readonly events: InstanceEvent[];
  /** A raw connection to the gateway. */
  connect(): Promise<Socket>;
  /** Sends text over a raw connection and answers all that comes back until the gateway closes it. */
  exchange(text: string): Promise<string>;
  /** Breaks an instance's sockets and shuts its port; it has not exited. */
  shut(instance: FakeInstance): void;
  /** Ends an instance as a crash does: its sockets break, then it has exited. */
  crash(instance: FakeInstance): void;
}

export interface WireFixtureOptions extends Partial<Omit<GatewayOptions, 'runtime' | 'events'>> {
  /** Makes the program of a revision. */
  readonly program: (revision: string) => TestProgram | Promise<TestProgram>;
  readonly limits?: Partial<FrontLimits>;
  /** `all`: hands every kind of upgrade to the gateway, not only WebSockets. */
  readonly upgrades?: 'all';
  /** Registered before the first request; `null` for none. */
  readonly target?: Parameters<typeof testTarget>[0] | null;
}

/** An instance's program from a request listener. */
export function httpProgram(listener: RequestListener): TestProgram {
  return createServer(listener);
}

/** Whether the fixtures serve their requests through a worker and its core (the lane `gateway-workers`), or themselves. */
const isInWorker = process.env['BERTH_TEST_WIRE'] === 'worker';

/** A gateway of either kind. */
interface WireGateway extends Gateway {
  /** Resolves when what was registered is known everywhere. */
  settled?(): Promise<void>;
}

/** The same gateway in two parts, as two processes have them. */
function createGatewayWithWorker({ events, trustedProxies, random, ...options }: GatewayOptions): WireGateway {
  const core = createGatewayCore({
    ...{ ...options, events },
    onRecords(records) {
      for (const record of readRecords(records)) events.onRequest(record);
    },
  });
  const { near, far } = createFakeLink<ToWorker, FromWorker>(options.clock, () => 0);
  core.attachWorker(near, { onUnresponsive: () => far.close() });
  const worker = createWorkerGateway({
    ...{ port: far, clock: options.clock },
    ...(trustedProxies && { trustedProxies }),
    ...(random && { random }),
  });
  return {
    ...core.gateway,
    settled: () => core.routesKnown(),
    handleRequest: worker.handleRequest,
    handleUpgrade: worker.handleUpgrade,
    async close(closing) {
      await core.gateway.close(closing);
      await worker.close({ drainMs: 0 });
    },
  };
}

/** Requests of any host go to the deployment its first label names. */
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
