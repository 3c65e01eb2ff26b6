import { isIPv4 } from 'node:net';
import type { Iptables, IptablesTable } from './iptables.ts';

/** Options of {@link openFirewall}. */
export interface FirewallOptions {
  /** Undefined when it isn't installed. */
  readonly iptables: Iptables | undefined;
  /** For IPv6: undefined when it isn't installed; null on a machine without IPv6. */
  readonly ip6tables: Iptables | undefined | null;
  /** Name prefix of this server's bridges, which no other interfaces have. */
  readonly bridgePrefix: string;
  /** Networks that containers must not reach, in CIDR form, IPv4 or IPv6. */
  readonly blockedRanges: readonly string[];
  /** The machine's name servers, which containers may query even in blocked ranges. */
  readonly nameServers: readonly string[];
  /** The engine runs a name server on the addresses of its bridges, as Podman does. */
  readonly hasBridgeNames: boolean;
}

/** Name prefix of the bridges of all servers. */
export const BRIDGES = 'bt';

/** A rule of a chain, as its arguments. */
type Rule = readonly string[];

/** A chain of Berth, and the chains that jump to it. */
interface Chain {
  readonly iptables: Iptables;
  readonly table: IptablesTable;
  readonly name: string;
  /** Candidates for the chain that gets the jump; the first one that exists is used. */
  readonly from: readonly string[];
  readonly rules: readonly Rule[];
}

/** `REJECT` instead of `DROP`, because clients of clouds try the metadata service first and would wait. */
const REFUSE: Rule = ['-j', 'REJECT'];
/** For the table `security`, which has no `REJECT`. */
const DROP: Rule = ['-j', 'DROP'];
const LINK_LOCAL = '169.254.0.0/16';
/** Docker keeps the rules in DOCKER-USER and evaluates them before its own. Other engines don't have that chain. */
const FORWARD = ['DOCKER-USER', 'FORWARD'];

/** Returns rules that allow DNS queries, because the engine queries the machine's name servers from inside the container's network. */
const namesFrom = (...to: readonly string[]): Rule[] =>
  ['udp', 'tcp'].map((protocol) => ['-p', protocol, ...to, '--dport', '53', '-j', 'RETURN']);

/**
 * Returns the IPv4 chains. From this server's bridges, only answers to the gateway's connections and DNS queries may reach this machine.
 * Forwarded packets may not go to link-local addresses, blocked ranges or the bridges of any server.
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

/** Returns the IPv6 chains, which refuse everything: the networks have no IPv6, but a build may send raw frames. */
function chainsOf6(ip6tables: Iptables, { bridgePrefix }: FirewallOptions): Chain[] {
  return [
    { iptables: ip6tables, table: 'filter', name: `BERTH-${bridgePrefix}-IN`, from: ['INPUT'], rules: [REFUSE] },
    ...forwarded(ip6tables, bridgePrefix, (refuse) => [refuse]),
  ];
}

/** Returns the same chain for two tables: `filter`, which can reject packets, and `security`, whose rules no engine ever removes. */
function forwarded(iptables: Iptables, bridgePrefix: string, rules: (refuse: Rule) => readonly Rule[]): Chain[] {
  const name = `BERTH-${bridgePrefix}-FWD`;
  return [
    { iptables, table: 'filter', name, from: FORWARD, rules: rules(REFUSE) },
    { iptables, table: 'security', name, from: ['FORWARD'], rules: rules(DROP) },
  ];
}

/**
 * Blocks connections from containers to this machine, to each other, to link-local addresses and to the operator's blocked ranges. The engine
 * itself doesn't block the machine's own addresses. It blocks other networks, but whenever it makes a network, it removes its rules for some
 * milliseconds, including the jump to DOCKER-USER (measured on Docker 20.10).
 *
 * The rules are added to the kernel and stay in force when the server is killed.
 */
export async function openFirewall(options: FirewallOptions) {
  const { iptables, ip6tables, bridgePrefix } = options;
  const nothing = async (): Promise<void> => {};
  if (!iptables) return { problem: 'iptables is not installed', ensure: nothing, remove: nothing };
  const chains = [...chainsOf(iptables, options), ...(ip6tables ? chainsOf6(ip6tables, options) : [])];
  const jump = (name: string): string[] => ['-i', `${bridgePrefix}+`, '-j', name];

  const put = async ({ iptables: tables, table, name, from, rules }: Chain): Promise<string | undefined> => {
    // The chain is filled before the jump to it is added.
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
    /** Why the firewall doesn't work; undefined when it does. */
    problem,
    /** Restores removed rules. */
    ensure: async (): Promise<void> => void (await ensure()),
    /** Removes the rules. */
    async remove(): Promise<void> {
      for (const { iptables: tables, table, name, from } of chains) {
        for (const base of from) while ((await tables.run(table, ['-D', base, ...jump(name)])).isOk);
        await tables.run(table, ['-F', name]);
        await tables.run(table, ['-X', name]);
      }
    },
  };
}
