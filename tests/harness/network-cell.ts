import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Addresses that the test's own networks use; they lead nowhere else. */
const NETWORK = '10.231';
/** Address of this machine, on its loopback interface: that of a cut cable would be gone with it. */
const HUB = `${NETWORK}.0.1`;

/** Why a machine can't make cells; undefined when it can. */
export function lacksCells(): string | undefined {
  if (process.getuid?.() !== 0) return 'needs root, to make network namespaces';
  try {
    execFileSync('ip', ['netns', 'list'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'needs ip: apt-get install iproute2';
  }
}

/** A network namespace that reaches this machine over one cable. */
export interface NetworkCell {
  /** Address of the cell as the test reaches it. */
  readonly address: string;
  /** Program and first words that run a command inside the cell. */
  readonly launcher: readonly string[];
  /** Pulls the cable: packets are lost both ways, and connections stay open on both ends. */
  cut(): void;
  /** Plugs the cable in again. */
  mend(): void;
}

/** Network namespaces of one test. */
export interface NetworkCells extends Disposable {
  /** Address of this machine as the cells reach it. */
  readonly hub: string;
  readonly cells: readonly NetworkCell[];
}

const ip = (...words: readonly string[]) => void execFileSync('ip', words, { stdio: ['ignore', 'ignore', 'pipe'] });

/** Makes `count` cells, gone when disposed. Needs root. @throws Error when one cannot be made */
export function makeCells(count: number): NetworkCells {
  const tag = `b${process.pid.toString(36)}`;
  using undo = new DisposableStack();
  const made = (remove: () => void) => undo.defer(() => ignoreFailure(remove));
  ip('address', 'add', `${HUB}/32`, 'dev', 'lo');
  made(() => ip('address', 'delete', `${HUB}/32`, 'dev', 'lo'));
  const cells = Array.from({ length: count }, (_, index): NetworkCell => {
    const name = `${tag}-${index}`;
    const cable = `${tag}c${index}`;
    const [outer, inner] = [`${NETWORK}.${index + 1}.1`, `${NETWORK}.${index + 1}.2`];
    ip('netns', 'add', name);
    made(() => ip('netns', 'delete', name));
    ip('link', 'add', cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
    made(() => ip('link', 'delete', cable));
    ip('address', 'add', `${outer}/30`, 'dev', cable);
    ip('link', 'set', cable, 'up');
    ip('-n', name, 'address', 'add', `${inner}/30`, 'dev', 'eth0');
    ip('-n', name, 'link', 'set', 'lo', 'up');
    ip('-n', name, 'link', 'set', 'eth0', 'up');
    ip('-n', name, 'route', 'add', 'default', 'via', outer);
    return {
      address: inner,
      // `ip netns exec` would hide /sys/fs/cgroup.
      launcher: ['nsenter', `--net=/run/netns/${name}`],
      cut: () => ip('link', 'set', cable, 'down'),
      mend: () => ip('link', 'set', cable, 'up'),
    };
  });
  const kept = undo.move();
  return { hub: HUB, cells, [Symbol.dispose]: () => kept.dispose() };
}

function ignoreFailure(act: () => void): void {
  try {
    act();
  } catch {
    // Deleting a namespace takes its end of the cable with it.
  }
}

/** A port that leads to another. */
export interface Forwarder extends AsyncDisposable {
  readonly port: number;
}

/** Leads connections to `host` and a free port of it to `target`: a port of 127.0.0.1 or a socket file. */
export async function forward(host: string, target: number | string): Promise<Forwarder> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    const upstream = typeof target === 'string' ? connect(target) : connect(target, '127.0.0.1');
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      open.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  server.listen(0, host);
  await once(server, 'listening');
  return {
    port: (server.address() as { port: number }).port,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
