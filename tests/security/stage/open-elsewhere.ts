import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import type { Facts } from '../inside/attempt.ts';
import type { Secrets } from './secrets.ts';

/** No one's addresses: a part of the range for benchmarks (RFC 2544) that Berth's own networks don't use. */
const NETWORK = '198.19.255';
const PORT = 8_099;
/** As many as the network has room for; each stage takes one, so that two test runs on a machine leave each other alone. */
const MAX_STAGES = 32;

/** Another machine, and addresses of this one; all of them go away with it. */
export interface Elsewhere extends AsyncDisposable {
  readonly facts: Facts['elsewhere'];
  /** Gives the host {@link laterAddress}. */
  addLaterAddress(): void;
  readonly laterAddress: string;
  /** An address of the host on its loopback interface, as load balancers and routers give them. */
  readonly aliasAddress: string;
  /** Addresses of the host that are those of clouds' metadata services, IPv4 first. */
  readonly metadata: readonly string[];
}

/** Makes another machine: a network namespace with two addresses, routed to by the host. */
export async function openElsewhere(secrets: Secrets): Promise<Elsewhere> {
  const index = claimLink();
  const { outside, inside } = linkNames(index);
  const at = (last: number): string => `${NETWORK}.${index * 8 + last}`;
  const [gateway, blocked, allowed, laterAddress, aliasAddress] = [at(1), at(2), at(3), at(4), at(5)];
  // The first is the address that all clouds have.
  const metadata = [`169.254.${169 - index}.254`, `fd00:ec2::${254 - index}`];
  const answer = JSON.stringify(`HTTP/1.0 200 OK\r\n\r\n${secrets.make('elsewhere')}`);
  const program = `require('net').createServer((s) => s.on('error', () => {}).once('data', () => s.end(${answer})))
    .listen(${PORT}, () => console.log('ready'))`;
  const child = spawn('unshare', ['-n', process.execPath, '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  const within = (words: readonly string[]) => run('nsenter', ['-t', String(child.pid), '-n', 'ip', ...words]);
  ip('link', 'set', inside, 'netns', String(child.pid));
  ip('address', 'add', `${gateway}/29`, 'dev', outside);
  ip('link', 'set', outside, 'up');
  const added = [aliasAddress, ...metadata].map((address) => `${address}/${address.includes(':') ? 128 : 32}`);
  for (const address of added) {
    // Without `nodad` an IPv6 address can't be listened on at once.
    ip('address', 'replace', address, 'dev', 'lo', ...(address.includes(':') ? ['nodad'] : []));
  }
  for (const address of [blocked, allowed]) within(['address', 'add', `${address}/29`, 'dev', inside]);
  within(['link', 'set', inside, 'up']);
  within(['route', 'add', 'default', 'via', gateway]);
  return {
    ...{ laterAddress, aliasAddress, metadata },
    facts: { blocked, allowed, port: PORT },
    addLaterAddress: () => ip('address', 'add', `${laterAddress}/32`, 'dev', outside),
    async [Symbol.asyncDispose]() {
      for (const address of added) ip('address', 'delete', address, 'dev', 'lo');
      ip('link', 'delete', outside);
      child.kill('SIGKILL');
    },
  };
}

function linkNames(index: number): { readonly outside: string; readonly inside: string } {
  return { outside: `bpo${index}`, inside: `bpi${index}` };
}

/** Makes a pair of links that no other stage has, and answers its number. The link says whose it is, should its run be killed. */
function claimLink(): number {
  for (let index = 0; index < MAX_STAGES; index++) {
    const { outside, inside } = linkNames(index);
    const alias = `/sys/class/net/${outside}/ifalias`;
    const owner = existsSync(alias) ? readFileSync(alias, 'utf8').trim() : '';
    if (owner !== '' && !existsSync(`/proc/${owner}`)) ip('link', 'delete', outside);
    const words = ['link', 'add', outside, 'type', 'veth', 'peer', 'name', inside];
    if (spawnSync('ip', words, { stdio: 'ignore' }).status !== 0) continue;
    ip('link', 'set', outside, 'alias', String(process.pid));
    return index;
  }
  throw new Error(`all ${MAX_STAGES} networks for attacks are taken: ip link delete bpo0 …`);
}

function ip(...words: readonly string[]): void {
  run('ip', words);
}

function run(program: string, words: readonly string[]): void {
  const { status, stderr } = spawnSync(program, words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${words.join(' ')}: ${stderr}`);
}
