import { readdirSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import type { Clock } from '@berth/kit';
import { findExecutable, requireProgram, SYSTEM_PROGRAM_FOLDERS } from '../host/find-executable.ts';
import { runProbe } from '../host/run-probe.ts';
import { HOST_ADDRESS, programAddress, sliceName } from './network-slices.ts';
import { loopbackRules } from './packet-filter.ts';

/** The programs that make networks. */
export interface NetworkTools {
  readonly ip: string;
  readonly nft: string;
  readonly nsenter: string;
  readonly tee: string;
  /** Where it is installed, something may forward nothing unless it is told to: Docker does. */
  readonly iptables: string | undefined;
}

/** @throws Error naming the first that is missing. */
export function findNetworkTools(): NetworkTools {
  return {
    ip: requireProgram('ip', 'iproute2'),
    nft: requireProgram('nft', 'nftables'),
    nsenter: requireProgram('nsenter', 'util-linux'),
    tee: requireProgram('tee', 'coreutils'),
    iptables: findExecutable('iptables', SYSTEM_PROGRAM_FOLDERS),
  };
}

const NAMESPACE_FOLDER = '/run/netns';

/** What a link of a slice is called: its interface on this machine, which may have 15 characters, and its namespace. */
export function linkName(slice: number, link: number): string {
  return `${slicePrefix(slice)}${link}`;
}

/** What the names of a slice's interfaces and namespaces, and nobody else's, begin with. */
export function slicePrefix(slice: number): string {
  return `berth${sliceName(slice)}-`;
}

export function tableName(slice: number): string {
  return `berth_${sliceName(slice)}`;
}

export function namespacePath(slice: number, link: number): string {
  return `${NAMESPACE_FOLDER}/${linkName(slice, link)}`;
}

export interface LinkOptions {
  readonly slice: number;
  readonly link: number;
  /** What comes over the link may be led to this machine's loopback. */
  readonly isLoopbackLed: boolean;
  /** TCP ports of the namespace's loopback that stand for those of this machine. */
  readonly hostPorts: readonly number[];
}

/** Of this machine's end of every link: no two of them are in one network. Its second bit says that nobody sells it. */
const HOST_MAC = '02:00:00:00:00:01';

/**
 * Gives this machine {@link HOST_ADDRESS}. It stays until the machine is booted: another server may be about to need it, and
 * browsers notice each change (see {@link makeLink}).
 * @throws Error with what `ip` said.
 */
export async function addHostAddress({ ip }: NetworkTools, clock: Clock): Promise<void> {
  const isThere = networkInterfaces()['lo']?.some(({ address }) => address === HOST_ADDRESS);
  if (isThere) return;
  const { isOk, output } = await runProbe([ip, 'addr', 'replace', `${HOST_ADDRESS}/32`, 'dev', 'lo'], clock);
  if (!isOk) throw new Error(output);
}

/**
 * Makes a network namespace with a link to this machine, up and with a way out. This machine's end has no address of its own:
 * browsers that run on it end all of their connections when an interface gets or loses one (`ERR_NETWORK_CHANGED`).
 * @throws Error with what the failing program said; nothing is left then.
 */
export async function makeLink(tools: NetworkTools, options: LinkOptions, clock: Clock): Promise<void> {
  const { slice, link, isLoopbackLed, hostPorts } = options;
  const name = linkName(slice, link);
  const program = programAddress(slice, link);
  const must = async (argv: readonly string[], input: string): Promise<void> => {
    const { isOk, output } = await runProbe(argv, clock, { input });
    if (!isOk) throw new Error(output === '' ? `${argv.join(' ')} failed` : output);
  };
  try {
    await must(
      [tools.ip, '-batch', '-'],
      `netns add ${name}
link add ${name} address ${HOST_MAC} type veth peer name eth0 netns ${name}
link set ${name} addrgenmode none
link set ${name} up
route add ${program}/32 dev ${name} src ${HOST_ADDRESS}
`,
    );
    if (isLoopbackLed) writeFileSync(`/proc/sys/net/ipv4/conf/${name}/route_localnet`, '1');
    await must(
      [tools.ip, '-n', name, '-batch', '-'],
      `link set lo up
addr add ${program}/32 dev eth0
link set eth0 up
neigh add ${HOST_ADDRESS} lladdr ${HOST_MAC} dev eth0 nud permanent
route add ${HOST_ADDRESS}/32 dev eth0
route add default via ${HOST_ADDRESS}
`,
    );
    const inside = [tools.nsenter, `--net=${namespacePath(slice, link)}`];
    // A service listens on the port it was declared with, whatever its number.
    await must([...inside, tools.tee, '/proc/sys/net/ipv4/ip_unprivileged_port_start'], '0\n');
    if (hostPorts.length > 0) {
      await must([...inside, tools.tee, '/proc/sys/net/ipv4/conf/eth0/route_localnet'], '1\n');
      await must([...inside, tools.nft, '-f', '-'], loopbackRules(hostPorts));
    }
  } catch (error) {
    await removeLink(tools, slice, link, clock);
    throw error;
  }
}

/** Takes the link and its namespace away. */
export async function removeLink(tools: NetworkTools, slice: number, link: number, clock: Clock): Promise<void> {
  await remove(tools, [linkName(slice, link)], clock);
}

/** Takes away all that a slice has in the kernel. */
export async function removeSlice(tools: NetworkTools, slice: number, clock: Clock): Promise<void> {
  await remove(tools, listNamespaces(slicePrefix(slice)), clock);
  await runProbe([tools.nft, 'delete', 'table', 'inet', tableName(slice)], clock);
  await changeForwarding(tools, slice, '-D', clock);
}

/** The kernel removes a namespace's links some time later: a link goes first, so that its name is free at once. */
async function remove({ ip }: NetworkTools, names: readonly string[], clock: Clock): Promise<void> {
  if (names.length === 0) return;
  const input = names.map((name) => `link del ${name}\nnetns del ${name}\n`).join('');
  await runProbe([ip, '-force', '-batch', '-'], clock, { input, timeoutMs: 60_000 });
}

/**
 * Lets packets of the slice pass where the machine forwards nothing unless it is told to. The rules come last, so that
 * whatever else is refused there stays so; what programs may reach is decided before (`packetFilterRules`).
 */
export async function allowForwarding(tools: NetworkTools, slice: number, clock: Clock): Promise<void> {
  await changeForwarding(tools, slice, '-A', clock);
}

async function changeForwarding(tools: NetworkTools, slice: number, action: '-A' | '-D', clock: Clock): Promise<void> {
  const { iptables } = tools;
  if (iptables === undefined) return;
  for (const direction of ['-i', '-o']) {
    const rule = ['FORWARD', direction, `${slicePrefix(slice)}+`, '-j', 'ACCEPT'];
    await runProbe([iptables, '-w', '5', action, ...rule], clock, { timeoutMs: 10_000 });
  }
}

function listNamespaces(prefix: string): string[] {
  try {
    return readdirSync(NAMESPACE_FOLDER).filter((name) => name.startsWith(prefix));
  } catch {
    return [];
  }
}
