import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { openRawConnection } from '../tests/harness/raw-connection.ts';

/** A container that a person would start, of the image of a service and with its limits. */
export interface HandContainer extends AsyncDisposable {
  /** `docker start`, until it answers a request; then it is stopped. In milliseconds. */
  start(): Promise<number>;
  /** `docker run` of another one, likewise; that one is removed. */
  run(): Promise<number>;
}

const NETWORK = 'berth-bench';
/** Apart from where servers and tests take theirs. */
const SUBNET = '10.215.0.0/24';
const ADDRESSES = { started: '10.215.0.10', run: '10.215.0.11' } as const;

/**
 * Makes a network with addresses that are known beforehand, and a container in it.
 *
 * @param engine `unix:///…`
 */
export async function createHandContainer(engine: string, image: string): Promise<HandContainer> {
  const docker = (...argv: string[]) => runDocker(engine, argv);
  await docker('network', 'rm', NETWORK).catch(() => {});
  await docker('network', 'create', '--subnet', SUBNET, NETWORK);
  const options = (ip: string) => [
    ...['--network', NETWORK, '--ip', ip, '--init', '--log-driver', 'none', '--cap-drop', 'ALL'],
    ...['--memory', '512m', '--memory-swap', '512m', '--cpus', '1', '--pids-limit', '1024', '--tmpfs', '/tmp'],
    ...['--env', 'PORT=8080', image],
  ];
  const id = await docker('create', ...options(ADDRESSES.started));
  return {
    async start() {
      const startedMs = performance.now();
      await docker('start', id);
      const answeredMs = await untilAnswer(ADDRESSES.started);
      await docker('stop', '--time', '0', id);
      return answeredMs - startedMs;
    },
    async run() {
      const startedMs = performance.now();
      const made = await docker('run', '--detach', ...options(ADDRESSES.run));
      const answeredMs = await untilAnswer(ADDRESSES.run);
      await docker('rm', '--force', made);
      return answeredMs - startedMs;
    },
    async [Symbol.asyncDispose]() {
      await docker('rm', '--force', id);
      await docker('network', 'rm', NETWORK);
    },
  };
}

/** Tries every millisecond, so that waiting adds next to nothing; answers when, by `performance.now()`. */
async function untilAnswer(host: string): Promise<number> {
  for (const deadline = performance.now() + 60_000; performance.now() < deadline; ) {
    const connection = await openRawConnection(8080, host).catch(() => undefined);
    if (!connection) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      continue;
    }
    using open = connection;
    await open.send('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    const answer = await open.receiveAll();
    if (!answer.startsWith('HTTP/1.1 200')) throw new Error(`the container answered ${answer.slice(0, 80)}`);
    return performance.now();
  }
  throw new Error('the container never answered');
}

async function runDocker(engine: string, argv: readonly string[]): Promise<string> {
  const child = spawn('docker', ['-H', engine, ...argv], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (code !== 0) throw new Error(`docker ${argv[0]}: ${stderr}`);
  return stdout.trim();
}
