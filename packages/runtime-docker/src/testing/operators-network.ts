import { spawn, spawnSync } from 'node:child_process';

/** A machine of the operator's own network that containers could reach through this one, and what listens on it. */
export interface OperatorsNetwork extends Disposable {
  /** The network, in CIDR form. */
  readonly range: string;
  /** `host:port` of what listens there. */
  readonly listener: string;
}

const PORT = 8080;

/**
 * Makes that machine out of a network namespace. Takes root.
 * @param host Third number of its addresses 198.19.x.0/24 (RFC 2544: of benchmarks, no one's), for tests at the same time.
 */
export function createOperatorsNetwork(host: number): OperatorsNetwork {
  const name = `berth-lan-${host}`;
  const [here, there] = [`oplan${host}a`, `oplan${host}b`];
  remove(name, here);
  run('ip', 'netns', 'add', name);
  run('ip', 'link', 'add', here, 'type', 'veth', 'peer', 'name', there, 'netns', name);
  run('ip', 'addr', 'add', `198.19.${host}.1/24`, 'dev', here);
  run('ip', 'link', 'set', here, 'up');
  run('ip', '-n', name, 'addr', 'add', `198.19.${host}.2/24`, 'dev', there);
  run('ip', '-n', name, 'link', 'set', there, 'up');
  // Answers to addresses of containers, where the engine does not hide them.
  run('ip', '-n', name, 'route', 'add', 'default', 'via', `198.19.${host}.1`);
  const script = `require('node:net').createServer((socket) => socket.on('error', () => {}).end('reached')).listen(${PORT}, '0.0.0.0')`;
  const child = spawn('ip', ['netns', 'exec', name, process.execPath, '-e', script], { stdio: 'ignore' });
  return {
    range: `198.19.${host}.0/24`,
    listener: `198.19.${host}.2:${PORT}`,
    [Symbol.dispose]() {
      child.kill();
      remove(name, here);
    },
  };
}

function remove(name: string, link: string): void {
  spawnSync('ip', ['link', 'delete', link], { stdio: 'ignore' });
  spawnSync('ip', ['netns', 'delete', name], { stdio: 'ignore' });
}

function run(...[command = '', ...argv]: string[]): void {
  const { status, stderr } = spawnSync(command, argv, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${argv.join(' ')}: ${stderr}`);
}
