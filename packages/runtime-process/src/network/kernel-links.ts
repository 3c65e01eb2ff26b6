import { readdirSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { findExecutable, requireProgram, runProbe, SYSTEM_PROGRAM_FOLDERS } from '@berth/runtime/drivers';
import { HOST_ADDRESS, programAddress, sliceName } from './network-slices.ts';
import { loopbackRules } from './packet-filter.ts';

/** Absolute paths of the programs that make networks. */
export type NetworkTools = ReturnType<typeof findNetworkTools>;

/** Finds the programs. @throws Error naming the first missing one. */
export function findNetworkTools() {
  return {
    ip: requireProgram('ip', 'iproute2'),
    nft: requireProgram('nft', 'nftables'),
    nsenter: requireProgram('nsenter', 'util-linux'),
    tee: requireProgram('tee', 'coreutils'),
    /** Undefined when not installed. If it is, something like Docker may have set the forwarding policy to drop. */
    iptables: findExecutable('iptables', SYSTEM_PROGRAM_FOLDERS),
  };
}

const NAMESPACE_FOLDER = '/run/netns';

/** Returns the name of a link's namespace and of its interface on this machine (at most 15 characters). */
export function linkName(slice: number, link: number): string {
  return `${slicePrefix(slice)}${link}`;
}

/** Returns the name prefix of a slice's interfaces and namespaces, which no others have. */
export function slicePrefix(slice: number): string {
  return `berth${sliceName(slice)}-`;
}

/** Returns the name of a slice's nftables table. */
export function tableName(slice: number): string {
  return `berth_${sliceName(slice)}`;
}

/** Returns the path of a link's network namespace. */
export function namespacePath(slice: number, link: number): string {
  return `${NAMESPACE_FOLDER}/${linkName(slice, link)}`;
}

/** Options of {@link makeLink}. */
export interface LinkOptions {
  readonly slice: number;
  readonly link: number;
  /** Packets from the link may be redirected to this machine's loopback. */
  readonly isLoopbackLed: boolean;
  /** TCP ports of the namespace's loopback that lead to the same ports on this machine's loopback. */
  readonly hostPorts: readonly number[];
}

/** MAC address of this machine's end of every link. No two links share a network. Locally administered (second bit). */
const HOST_MAC = '02:00:00:00:00:01';

/**
 * Adds {@link HOST_ADDRESS} to this machine. The address stays until a reboot, because another server may need it, and browsers notice each
 * change (see {@link makeLink}).
 * @throws Error with the output of `ip`.
 */
export async function addHostAddress({ ip }: NetworkTools): Promise<void> {
  const isThere = networkInterfaces()['lo']?.some(({ address }) => address === HOST_ADDRESS);
  if (isThere) return;
  const { isOk, output } = await runProbe([ip, 'addr', 'replace', `${HOST_ADDRESS}/32`, 'dev', 'lo']);
  if (!isOk) throw new Error(output);
}

/** Removes {@link HOST_ADDRESS} from this machine. No server may be running. */
export async function removeHostAddress(): Promise<void> {
  const ip = findExecutable('ip', SYSTEM_PROGRAM_FOLDERS);
  if (ip !== undefined) await runProbe([ip, 'addr', 'del', `${HOST_ADDRESS}/32`, 'dev', 'lo']);
}

/**
 * Makes a network namespace with a link to this machine and a default route. This machine's end has no address of its own, because browsers
 * on this machine drop all connections when an interface gains or loses an address (`ERR_NETWORK_CHANGED`).
 * @throws Error with the output of the failing program, after removing the link.
 */
export async function makeLink(tools: NetworkTools, options: LinkOptions): Promise<void> {
  const { slice, link, isLoopbackLed, hostPorts } = options;
  const name = linkName(slice, link);
  const program = programAddress(slice, link);
  const must = async (argv: readonly string[], input: string): Promise<void> => {
    const { isOk, output } = await runProbe(argv, { input });
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
    // A service may listen on its declared port even below 1024.
    await must([...inside, tools.tee, '/proc/sys/net/ipv4/ip_unprivileged_port_start'], '0\n');
    if (hostPorts.length > 0) {
      await must([...inside, tools.tee, '/proc/sys/net/ipv4/conf/eth0/route_localnet'], '1\n');
      await must([...inside, tools.nft, '-f', '-'], loopbackRules(hostPorts));
    }
  } catch (error) {
    await removeLink(tools, slice, link);
    throw error;
  }
}

/** Removes a link and its namespace. */
export function removeLink(tools: NetworkTools, slice: number, link: number): Promise<void> {
  return remove(tools, [linkName(slice, link)]);
}

/** Removes everything that a slice has in the kernel. */
export async function removeSlice(tools: NetworkTools, slice: number): Promise<void> {
  await remove(tools, listNamespaces(slicePrefix(slice)));
  await runProbe([tools.nft, 'delete', 'table', 'inet', tableName(slice)]);
  await changeForwarding(tools, slice, '-D');
}

/** Removes links and namespaces. The link goes first, because the kernel removes a namespace's links only later, and the name must be free. */
async function remove({ ip }: NetworkTools, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const input = names.map((name) => `link del ${name}\nnetns del ${name}\n`).join('');
  await runProbe([ip, '-force', '-batch', '-'], { input, timeoutMs: 60_000 });
}

/**
 * Accepts packets of the slice on machines whose forwarding policy is to drop. The rules are appended, so that earlier rules still apply.
 * `packetFilterRules` decides before that what programs may reach.
 */
export function allowForwarding(tools: NetworkTools, slice: number): Promise<void> {
  return changeForwarding(tools, slice, '-A');
}

async function changeForwarding(tools: NetworkTools, slice: number, action: '-A' | '-D'): Promise<void> {
  const { iptables } = tools;
  if (iptables === undefined) return;
  for (const direction of ['-i', '-o']) {
    const rule = ['FORWARD', direction, `${slicePrefix(slice)}+`, '-j', 'ACCEPT'];
    await runProbe([iptables, '-w', '5', action, ...rule], { timeoutMs: 10_000 });
  }
}

function listNamespaces(prefix: string): string[] {
  try {
    return readdirSync(NAMESPACE_FOLDER).filter((name) => name.startsWith(prefix));
  } catch {
    return [];
  }
}
