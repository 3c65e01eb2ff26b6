import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { Secrets } from './secrets.ts';

/** Nobody's addresses: a part of the range for benchmarks (RFC 2544) that Berth's own networks don't use. */
const NETWORK = '198.19.255';
const PORT = 8_099;

/** Another machine, which goes away with it. */
export interface Elsewhere extends AsyncDisposable {
  readonly blocked: string;
  readonly allowed: string;
  readonly port: number;
  /** Gives the host one more address. */
  addLaterAddress(): void;
  readonly laterAddress: string;
  /** An address of the host on its loopback interface, as load balancers and routers give them. */
  readonly aliasAddress: string;
}

/**
 * Makes another machine: a network namespace with two addresses, routed to by the host.
 * @param index keeps configurations that run side by side apart; 0 to 63 count.
 */
export async function openElsewhere(secrets: Secrets, index: number): Promise<Elsewhere> {
  const net = (index % 32) * 8;
  const [outside, inside] = [`bpo${net}`, `bpi${net}`];
  const at = (last: number): string => `${NETWORK}.${net + last}`;
  const [gateway, blocked, allowed, laterAddress, aliasAddress] = [at(1), at(2), at(3), at(4), at(5)];
  const answer = JSON.stringify(`HTTP/1.0 200 OK\r\n\r\n${secrets.make('elsewhere')}`);
  const program = `require('net').createServer((s) => s.on('error', () => {}).once('data', () => s.end(${answer})))
    .listen(${PORT}, () => console.log('ready'))`;
  const child = spawn('unshare', ['-n', process.execPath, '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  const within = ['nsenter', '-t', String(child.pid), '-n'];
  const commands = [
    ['ip', 'link', 'add', outside, 'type', 'veth', 'peer', 'name', inside],
    ['ip', 'link', 'set', inside, 'netns', String(child.pid)],
    ['ip', 'address', 'add', `${gateway}/29`, 'dev', outside],
    ['ip', 'link', 'set', outside, 'up'],
    ['ip', 'address', 'replace', `${aliasAddress}/32`, 'dev', 'lo'],
    [...within, 'ip', 'address', 'add', `${blocked}/29`, 'dev', inside],
    [...within, 'ip', 'address', 'add', `${allowed}/29`, 'dev', inside],
    [...within, 'ip', 'link', 'set', inside, 'up'],
    [...within, 'ip', 'route', 'add', 'default', 'via', gateway],
  ];
  // A run that was killed may have left it behind.
  spawnSync('ip', ['link', 'delete', outside]);
  for (const [command = '', ...words] of commands) {
    const { status, stderr } = spawnSync(command, words, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${command} ${words.join(' ')}: ${stderr}`);
  }
  return {
    ...{ blocked, allowed, laterAddress, aliasAddress, port: PORT },
    addLaterAddress: () => void spawnSync('ip', ['address', 'add', `${laterAddress}/32`, 'dev', outside]),
    async [Symbol.asyncDispose]() {
      spawnSync('ip', ['link', 'delete', outside]);
      spawnSync('ip', ['address', 'delete', `${aliasAddress}/32`, 'dev', 'lo']);
      child.kill('SIGKILL');
    },
  };
}
