import { measureAtRate, runH2load } from '../load/run-h2load.ts';
import { type ClientJob, startClient } from '../load/start-client.ts';
import { residentMib } from '../process-tree.ts';
import { runWrk, type WrkOptions } from '../wrk.ts';
import { type Load, perCpuSecond, type Row, type Scenario, type Target } from './scenario.ts';

const CONNECTIONS = 64;
const IDLE_CONNECTIONS = 1_000;
const EVENT_STREAMS = 100;
const KIB = 1_024;
/** Half of what Berth's core serves while load and service share the other. */
const HALF_LOAD = 5_000;
/** The level of Caddy, which is what people replace. */
const AT_LEAST_CADDY = { caddy: 1 };

type Wrk = Partial<WrkOptions> & { readonly seconds: number };

async function wrk(target: Target, load: Load, options: Wrk) {
  const { isEncrypted = false, seconds } = options;
  const port = isEncrypted ? target.tlsPort : target.port;
  return runWrk({ port, host: load.host, connections: CONNECTIONS, ...options, seconds: load.isTenth ? 1 : seconds });
}

/** Returns the requests per CPU second, after a second of the same load if the target was idle. */
async function wrkPerCpuSecond(target: Target, load: Load, options: Wrk, wasIdle = true): Promise<number> {
  if (!load.isTenth && wasIdle) await wrk(target, load, { ...options, seconds: 1 });
  return perCpuSecond(target, async () => (await wrk(target, load, options)).requests);
}

/** Returns how much of its kind a client gets done per CPU second, after half a second of the same load. */
async function clientPerCpuSecond(
  target: Target,
  { isTenth, host }: Load,
  kind: ClientJob['kind'],
  connections: number,
): Promise<number> {
  const port = kind.endsWith('handshakes') ? target.tlsPort : target.port;
  await using client = await startClient({ kind, port, host, connections });
  await client.count(isTenth ? 0.1 : 0.5);
  return await perCpuSecond(target, () => client.count(isTenth ? 0.5 : 2));
}

const plain: Scenario = {
  name: 'plain',
  rows: [
    {
      ...{ id: 'P1', title: `requests, ${CONNECTIONS} connections`, unit: 'req/s' },
      atLeast: { nginx: 0.5, caddy: 1.8, traefik: 1.4 },
    },
    { id: 'P1', title: 'added p50, one connection', unit: 'µs', target: 90, isValue: true },
    { id: 'P1', title: `p99 at ${HALF_LOAD} requests/s`, unit: 'µs', isValue: true },
  ],
  async measure(target, load) {
    // A server that was idle while the others were measured has given its memory back, and compiled code with it.
    if (!load.isTenth) await wrk(target, load, { seconds: 2 });
    const rate = await perCpuSecond(target, async () => (await wrk(target, load, { seconds: 3 })).requests);
    const one = await wrk(target, load, { seconds: 1, connections: 1 });
    const { host: address, port } = load.upstream;
    const direct = await wrk(target, load, { seconds: 1, connections: 1, address, port });
    const atRate = { connections: 50, perSecond: HALF_LOAD / 50, seconds: load.isTenth ? 1 : 4 };
    const p99 = await measureAtRate({ port: target.port, host: load.host, ...atRate });
    return [rate, one.p50Us - direct.p50Us, p99];
  },
};

const tls: Scenario = {
  name: 'tls',
  rows: [
    { title: 'TLS: requests, kept connections', unit: 'req/s', atLeast: AT_LEAST_CADDY },
    { title: 'TLS: new sessions', unit: 'connections/s', atLeast: AT_LEAST_CADDY },
    { title: 'TLS: resumed sessions', unit: 'connections/s', atLeast: AT_LEAST_CADDY },
  ],
  measure: async (target, load) => [
    await wrkPerCpuSecond(target, load, { seconds: 2, isEncrypted: true }),
    await clientPerCpuSecond(target, load, 'new handshakes', 0),
    await clientPerCpuSecond(target, load, 'resumed handshakes', 0),
  ],
};

const http2: Scenario = {
  name: 'http2',
  rows: [{ title: 'HTTP/2 over TLS: requests, 8 × 8 streams', unit: 'req/s', atLeast: AT_LEAST_CADDY }],
  async measure(target, { host, isTenth }) {
    const run = (seconds: number) => runH2load({ port: target.tlsPort, host, connections: 8, streams: 8, seconds });
    if (!isTenth) await run(1);
    return [await perCpuSecond(target, () => run(isTenth ? 1 : 2))];
  },
};

const BODIES = [
  { size: '16 KiB', bytes: 16 * KIB, connections: 32 },
  { size: '1 MiB', bytes: KIB * KIB, connections: 8 },
].flatMap(({ size, bytes, connections }): { readonly title: string; readonly options: Partial<WrkOptions> }[] => [
  { title: `responses of ${size}`, options: { connections, target: `/bytes?n=${bytes}` } },
  { title: `requests of ${size}`, options: { connections, target: '/upload', bodyBytes: bytes } },
]);

const bodies: Scenario = {
  name: 'bodies',
  rows: BODIES.map(({ title }): Row => ({ title, unit: 'req/s' })),
  async measure(target, load) {
    const values: number[] = [];
    for (const { options } of BODIES) {
      const isFirst = values.length === 0;
      values.push(await wrkPerCpuSecond(target, load, { ...options, seconds: 2 }, isFirst));
    }
    return values;
  },
};

const idle: Scenario = {
  name: 'idle',
  rows: [
    { title: 'memory', unit: 'MB', isValue: true },
    { title: `memory of an idle connection (of ${IDLE_CONNECTIONS})`, unit: 'KB', isValue: true },
    { title: 'rate beside them / without them', unit: 'ratio', isValue: true },
  ],
  async measure(target, load) {
    const without = await wrkPerCpuSecond(target, load, { seconds: 2 });
    const before = residentMib(target.pids());
    const job = {
      kind: 'idle connections',
      port: target.port,
      host: load.host,
      connections: IDLE_CONNECTIONS,
    } as const;
    await using _client = await startClient(job);
    const memory = residentMib(target.pids()) - before;
    const beside = await perCpuSecond(target, async () => (await wrk(target, load, { seconds: 2 })).requests);
    return [before, (memory * KIB) / IDLE_CONNECTIONS, beside / without];
  },
};

const sockets: Scenario = {
  name: 'websocket',
  rows: [{ title: `WebSocket messages there and back, ${CONNECTIONS} connections`, unit: 'messages/s' }],
  measure: async (target, load) => [await clientPerCpuSecond(target, load, 'WebSocket messages', CONNECTIONS)],
};

const events: Scenario = {
  name: 'sse',
  rows: [{ title: `events, ${EVENT_STREAMS} streams`, unit: 'events/s' }],
  measure: async (target, load) => [await clientPerCpuSecond(target, load, 'events', EVENT_STREAMS)],
};

/** The rate of several gateway processes, measured on Berth alone. */
export const WORKERS: Scenario = {
  name: 'workers',
  rows: [{ title: `requests, ${CONNECTIONS} connections`, unit: 'req/s' }],
  measure: async (target, load) => [await wrkPerCpuSecond(target, load, { seconds: 3 })],
};

/** What users send, in the order in which it is measured. */
export const SCENARIOS: readonly Scenario[] = [plain, tls, http2, idle, bodies, sockets, events];

/** Names that a part of the benchmark can be chosen by. */
export const SCENARIO_NAMES = [...SCENARIOS, WORKERS].map(({ name }) => name);
