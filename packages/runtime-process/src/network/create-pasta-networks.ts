import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readlinkSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { createError } from '@berth/contract';
import { type Clock, type Logger, runInBackground } from '@berth/kit';
import { readProcess, requireProgram, runProbe } from '@berth/runtime/drivers';
import { readIfThere } from '@berth/runtime/files';
import type { RunningRecords } from '../guard/running-record.ts';
import { readHostResolver, writeResolverFile } from './host-resolver.ts';
import type { Networks } from './networks.ts';
import { METADATA } from './packet-filter.ts';
import { createPortPool } from './port-pool.ts';

/** Options of {@link createPastaNetworks}. */
export interface PastaNetworksOptions {
  /** Holds a record of each helper process, so that none outlives a killed server. */
  readonly records: RunningRecords;
  /** A folder of the server that services can read, for the files that they see in `/etc`. */
  readonly viewFolder: string;
  readonly hostPorts: readonly number[];
  readonly blockedRanges: readonly string[];
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Pasta answers DNS queries to this address itself. In the same range as the addresses of `create-veth-networks.ts`. */
const RESOLVER_ADDRESS = '198.18.0.53';
const HOST = '127.0.0.1';
const READY_POLL_MS = 2;
const READY_GIVE_UP_MS = 5_000;
/** Interval of checks for new addresses of the machine, which a program may reach until they are noticed. */
const ADDRESS_WATCH_MS = 1_000;

/**
 * Creates networks for a server that isn't root. Each network is a user and a network namespace that a helper holds open, connected by
 * pasta (passt.top), which makes the program's connections as the server's user. The gateway connects to a port on this machine's loopback.
 * @throws Error naming the missing part, for people.
 */
export async function createPastaNetworks(options: PastaNetworksOptions): Promise<Networks> {
  const { records, viewFolder, hostPorts, blockedRanges, clock, logger } = options;
  const tools = findPastaTools();
  const resolver = readHostResolver();
  const etcFiles = writeResolverFile(viewFolder, resolver, RESOLVER_ADDRESS);
  const ports = createPortPool();

  /** Starts a system program that runs as long as the network exists. */
  const startHelper = (
    name: string,
    argv: readonly string[],
  ): { readonly child: ChildProcess; end(): Promise<void> } => {
    const [program = '', ...rest] = argv;
    const child = spawn(program, rest, { stdio: ['pipe', 'ignore', 'pipe'], env: {}, cwd: '/', detached: true });
    const exited = once(child, 'exit').catch(() => {});
    child.stdin?.on('error', () => {});
    const leader = child.pid === undefined ? undefined : readProcess(child.pid);
    if (leader) records.write(name, { folder: `/nonexistent/${name}`, leader, cgroupFolders: [] });
    return {
      child,
      async end() {
        child.kill('SIGKILL');
        await exited;
        records.remove(name);
      },
    };
  };

  /** The `enter` command of each network in use. */
  const live = new Set<readonly string[]>();
  const connect = async (hostPort: number | undefined, port: number | undefined) => {
    const name = `n-${crypto.randomUUID().slice(0, 13)}`;
    const holder = startHelper(name, [tools.unshare, '--user', '--net', '--map-root-user', tools.cat]);
    const namespaces = `/proc/${holder.child.pid}/ns`;
    let pasta: ReturnType<typeof startHelper> | undefined;
    const end = async (): Promise<void> => {
      live.delete(enter);
      await pasta?.end();
      await holder.end();
    };
    const enter = [tools.nsenter, `--user=${namespaces}/user`, '--preserve-credentials', `--net=${namespaces}/net`];
    try {
      const own = readlinkSync('/proc/self/ns/net');
      await waitUntil(
        () => readIfThere(`/proc/${holder.child.pid}/uid_map`) !== '' && readlinkSync(`${namespaces}/net`) !== own,
      );
      const forward = hostPort === undefined ? 'none' : `${HOST}/${hostPort}:${port}`;
      const toHost = hostPorts.length === 0 ? 'none' : hostPorts.join(',');
      pasta = startHelper(`${name}-p`, [
        ...[tools.pasta, '--foreground', '--quiet', '--config-net', '--no-map-gw', '--ipv4-only'],
        ...['--tcp-ports', forward, '--udp-ports', 'none', '--tcp-ns', toHost, '--udp-ns', 'none'],
        ...(resolver.loopback === undefined ? [] : ['--dns-forward', RESOLVER_ADDRESS]),
        ...['--userns', `${namespaces}/user`, '--netns', `${namespaces}/net`],
      ]);
      let problem = '';
      pasta.child.stderr?.on('data', (chunk: Buffer) => (problem += chunk.toString()));
      let isOver = false;
      void once(pasta.child, 'exit').then(() => (isOver = true));
      await waitUntil(async () => {
        if (isOver) throw new Error(`pasta ended: ${problem.trim().split('\n').at(-1)}`);
        return (await runProbe([...enter, tools.ip, 'route', 'show', 'default'])).output !== '';
      });
      // Added before the routes are set, so that an address that appears meanwhile isn't missed.
      live.add(enter);
      await setRoutes(enter);
      // A service may listen on its declared port even below 1024.
      const setting = '/proc/sys/net/ipv4/ip_unprivileged_port_start';
      await runProbe([...enter, tools.tee, setting], { input: '0\n' });
    } catch (error) {
      await end();
      throw error;
    }
    return { enter, end };
  };

  const waitUntil = async (isDone: () => boolean | Promise<boolean>): Promise<void> => {
    const deadline = clock.monotonicMs() + READY_GIVE_UP_MS;
    while (!(await isDone())) {
      if (clock.monotonicMs() > deadline) throw new Error('pasta did not become ready');
      await clock.sleep(READY_POLL_MS);
    }
  };
  /** Sets the routes of a network, which programs have no right to change. */
  const setRoutes = async (enter: readonly string[]): Promise<void> => {
    const ranges = [...METADATA, ...ownAddresses(), ...blockedRanges.filter((range) => !range.includes(':'))];
    const { output: way } = await runProbe([...enter, tools.ip, 'route', 'show', 'default']);
    const gateway = /via (\S+)/.exec(way)?.[1];
    const lines = [
      ...[...new Set(ranges)].map((range) => `prohibit ${range}`),
      // Name servers stay reachable even inside a blocked range.
      ...(gateway === undefined ? [] : resolver.remote.map((address) => `${address}/32 via ${gateway}`)),
    ];
    const input = lines.map((line) => `route replace ${line}\n`).join('');
    const { isOk, output } = await runProbe([...enter, tools.ip, '-batch', '-'], { input });
    if (!isOk) throw new Error(`routes were rejected: ${output}`);
  };

  let known = String(ownAddresses());
  /** Blocks addresses that the machine gets while programs run: a lease changes, a bridge or a tunnel comes up. */
  const watchAddresses = (): void => {
    timer = clock.setTimer(ADDRESS_WATCH_MS, watchAddresses);
    const now = String(ownAddresses());
    if (now === known) return;
    known = now;
    for (const enter of live) runInBackground('keep a program from a new address', setRoutes(enter), logger);
  };

  await (await connect(undefined, undefined)).end();
  let timer = clock.setTimer(ADDRESS_WATCH_MS, watchAddresses);
  return {
    isIsolated: true,
    hasOwnAddresses: false,
    async take(port) {
      const hostPort = port === undefined ? undefined : await ports.take();
      try {
        const { enter, end } = await connect(hostPort, port);
        return {
          address: { host: HOST, port: hostPort ?? 0 },
          port: port ?? 0,
          enter,
          etcFiles,
          isFresh: async () => true,
          async release() {
            await end();
            if (hostPort !== undefined) ports.release(hostPort);
          },
        };
      } catch (cause) {
        if (hostPort !== undefined) ports.release(hostPort);
        throw createError('out_of_capacity', 'The machine refused a network for this program. See its log.', {
          cause,
        });
      }
    },
    close: async () => timer.cancel(),
  };
}

/**
 * Returns this machine's IPv4 addresses, including those of the loopback interface outside of 127.0.0.0/8, which would be reachable from a
 * program's network. The address that pasta assigns to the network is local there, so blocking it changes nothing.
 */
function ownAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ family, address }) => family === 'IPv4' && !address.startsWith('127.'))
    .map(({ address }) => `${address}/32`);
}

/** @throws Error naming the first missing program. */
function findPastaTools() {
  return {
    pasta: requireProgram('pasta', 'passt'),
    unshare: requireProgram('unshare', 'util-linux'),
    nsenter: requireProgram('nsenter', 'util-linux'),
    cat: requireProgram('cat', 'coreutils'),
    tee: requireProgram('tee', 'coreutils'),
    ip: requireProgram('ip', 'iproute2'),
  };
}
