import { isIPv4 } from 'node:net';
import type { Iptables, IptablesTable } from './iptables.ts';
import { BRIDGES } from './networks.ts';

/**
 * Keeps containers away from this machine, from each other, from link-local addresses and from what the operator names. The
 * engine does not keep its networks from the machine's own addresses, and keeps them from each other only most of the time:
 * whenever it makes a network, it takes its rules out of the kernel for some milliseconds, and with them the jump to
 * DOCKER-USER. Measured on Docker 20.10.
 */
export interface Firewall {
  /** Why there is none; absent when there is. */
  readonly problem?: string;
  /** Puts back what somebody flushed. */
  ensure(): Promise<void>;
  /** Takes it away. */
  remove(): Promise<void>;
}

export interface FirewallOptions {
  /** Undefined where there is none. */
  readonly iptables: Iptables | undefined;
  /** The same for IPv6; null on a machine without IPv6. */
  readonly ip6tables: Iptables | undefined | null;
  /** What the bridges of this server, and no other interfaces, begin with. */
  readonly bridgePrefix: string;
  /** Networks that containers must not reach, in CIDR form, of either IP version. */
  readonly blockedRanges: readonly string[];
  /** The machine's name servers: containers may ask them, wherever they are. */
  readonly nameServers: readonly string[];
  /** The engine serves names on the addresses of its bridges, as Podman does. */
  readonly hasBridgeNames: boolean;
}

/** A rule of a chain, as its arguments. */
type Rule = readonly string[];

/** One of our own chains, and where it is jumped to from. */
interface Chain {
  readonly iptables: Iptables;
  readonly table: IptablesTable;
  readonly name: string;
  /** The first of these that exists. */
  readonly from: readonly string[];
  readonly rules: readonly Rule[];
}

/** `REJECT` and not `DROP`: clients of clouds look for the metadata service first, and would wait for it. */
const REFUSE: Rule = ['-j', 'REJECT'];
/** `security` knows no `REJECT`. */
const DROP: Rule = ['-j', 'DROP'];
const LINK_LOCAL = '169.254.0.0/16';
/** Docker keeps what is in DOCKER-USER and puts it before all of its own; other engines don't have it. */
const FORWARD = ['DOCKER-USER', 'FORWARD'];

/** Allows questions to a name server: the engine asks the machine's from inside the container's network. */
const namesFrom = (...to: readonly string[]): Rule[] =>
  ['udp', 'tcp'].map((protocol) => ['-p', protocol, ...to, '--dport', '53', '-j', 'RETURN']);

/**
 * What comes from our bridges to this machine: answers to the gateway's connections, and questions to its name servers;
 * nothing else. What passes through it: nothing to link-local addresses, blocked ranges and the bridges of any server.
 */
function chainsOf(iptables: Iptables, options: FirewallOptions): Chain[] {
  const { bridgePrefix, blockedRanges, hasBridgeNames } = options;
  const names = options.nameServers.filter((address) => isIPv4(address)).flatMap((address) => namesFrom('-d', address));
  const blocked = [LINK_LOCAL, ...blockedRanges.filter((range) => !range.includes(':'))];
  return [
    {
      ...{ iptables, table: 'filter', name: `BERTH-${bridgePrefix}-IN`, from: ['INPUT'] },
      rules: [
        ['-m', 'conntrack', '--ctstate', 'ESTABLISHED,RELATED', '-j', 'RETURN'],
        ...(hasBridgeNames ? namesFrom() : names),
        REFUSE,
      ],
    },
    ...forwarded(iptables, bridgePrefix, (refuse) => [
      ...names,
      ...blocked.map((range) => ['-d', range, ...refuse]),
      ['-o', `${BRIDGES}+`, '-m', 'conntrack', '--ctstate', 'NEW', ...refuse],
    ]),
  ];
}

/** Our networks have no IPv6, but a build may send raw frames: nothing of IPv6 that leaves a bridge is honest. */
function chainsOf6(ip6tables: Iptables, { bridgePrefix }: FirewallOptions): Chain[] {
  return [
    { iptables: ip6tables, table: 'filter', name: `BERTH-${bridgePrefix}-IN`, from: ['INPUT'], rules: [REFUSE] },
    ...forwarded(ip6tables, bridgePrefix, (refuse) => [refuse]),
  ];
}

/** The same in two tables: where it is refused at once, and where no engine ever takes it away. */
function forwarded(iptables: Iptables, bridgePrefix: string, rules: (refuse: Rule) => readonly Rule[]): Chain[] {
  const name = `BERTH-${bridgePrefix}-FWD`;
  return [
    { iptables, table: 'filter', name, from: FORWARD, rules: rules(REFUSE) },
    { iptables, table: 'security', name, from: ['FORWARD'], rules: rules(DROP) },
  ];
}

/** Puts the rules into the kernel. They stay there, in force, when the server is killed. */
export async function openFirewall(options: FirewallOptions): Promise<Firewall> {
  const { iptables, ip6tables, bridgePrefix } = options;
  const nothing = async (): Promise<void> => {};
  if (!iptables) return { problem: 'iptables is not installed', ensure: nothing, remove: nothing };
  const chains = [...chainsOf(iptables, options), ...(ip6tables ? chainsOf6(ip6tables, options) : [])];
  const jump = (name: string): string[] => ['-i', `${bridgePrefix}+`, '-j', name];

  const put = async ({ iptables: tables, table, name, from, rules }: Chain): Promise<string | undefined> => {
    // Filled before it is jumped to.
    const filled = await tables.fill(table, name, rules);
    let problem = filled.isOk ? undefined : filled.output;
    if (problem !== undefined) return problem;
    for (const base of from) {
      if ((await tables.run(table, ['-C', base, ...jump(name)])).isOk) return undefined;
      const { isOk, output } = await tables.run(table, ['-I', base, '1', ...jump(name)]);
      if (isOk) return undefined;
      problem = output;
    }
    return problem;
  };
  const ensure = async (): Promise<string | undefined> => {
    for (const chain of chains) {
      const problem = await put(chain);
      if (problem !== undefined) return `a rule was refused: ${problem}`;
    }
    return ip6tables === undefined ? 'ip6tables is not installed' : undefined;
  };
  const problem = await ensure();
  return {
    ...(problem !== undefined && { problem }),
    ensure: async () => void (await ensure()),
    async remove() {
      for (const { iptables: tables, table, name, from } of chains) {
        for (const base of from) while ((await tables.run(table, ['-D', base, ...jump(name)])).isOk);
        await tables.run(table, ['-F', name]);
        await tables.run(table, ['-X', name]);
      }
    },
  };
}
