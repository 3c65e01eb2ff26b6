import { docker as runDocker } from './docker-command.ts';
import { untilAnswer } from './until-answer.ts';

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
      await untilAnswer(8080, ADDRESSES.started);
      const ms = performance.now() - startedMs;
      await docker('stop', '--time', '0', id);
      return ms;
    },
    async run() {
      const startedMs = performance.now();
      const made = await docker('run', '--detach', ...options(ADDRESSES.run));
      await untilAnswer(8080, ADDRESSES.run);
      const ms = performance.now() - startedMs;
      await docker('rm', '--force', made);
      return ms;
    },
    async [Symbol.asyncDispose]() {
      await docker('rm', '--force', id);
      await docker('network', 'rm', NETWORK);
    },
  };
}
