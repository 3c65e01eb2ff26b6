import type { Iptables } from './iptables.ts';

/**
 * Keeps containers away from this machine and from the metadata services of clouds. What the engine does by itself keeps
 * networks apart from each other; it does not keep them from the machine's own addresses.
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
  /** What the bridges of this server, and no other interfaces, begin with. */
  readonly bridgePrefix: string;
}

/** A rule of a chain, as its arguments. */
type Rule = readonly string[];

/** One of our own chains, and where it is jumped to from. */
interface Chain {
  readonly name: string;
  /** The first of these that exists. */
  readonly from: readonly string[];
  readonly rules: readonly Rule[];
}

/** `REJECT` and not `DROP`: clients of clouds look for the metadata service first, and would wait for it. */
const REFUSE: Rule = ['-j', 'REJECT'];

/**
 * What comes from our bridges to this machine: answers to the gateway's connections, and questions to its name server;
 * nothing else. Only TCP to link-local addresses is refused: on Google's cloud the same address answers DNS over UDP.
 */
function chainsOf(prefix: string): Chain[] {
  const names = { input: `BERTH-${prefix}-IN`, forward: `BERTH-${prefix}-FWD` };
  const linkLocal = ['-p', 'tcp', '-d', '169.254.0.0/16'];
  return [
    {
      name: names.input,
      from: ['INPUT'],
      rules: [
        ['-m', 'conntrack', '--ctstate', 'ESTABLISHED,RELATED', '-j', 'RETURN'],
        [...linkLocal, ...REFUSE],
        ['-p', 'udp', '--dport', '53', '-j', 'RETURN'],
        ['-p', 'tcp', '--dport', '53', '-j', 'RETURN'],
        REFUSE,
      ],
    },
    {
      name: names.forward,
      // Docker keeps what is in DOCKER-USER and puts it before all of its own; other engines don't have it.
      from: ['DOCKER-USER', 'FORWARD'],
      rules: [
        [...linkLocal, ...REFUSE],
        ['-o', `${prefix}+`, '-m', 'conntrack', '--ctstate', 'NEW', ...REFUSE],
      ],
    },
  ];
}

/** Puts the rules into the kernel. They stay there, in force, when the server is killed. */
export async function openFirewall({ iptables, bridgePrefix }: FirewallOptions): Promise<Firewall> {
  const nothing = async (): Promise<void> => {};
  if (!iptables) return { problem: 'iptables is not installed', ensure: nothing, remove: nothing };
  const chains = chainsOf(bridgePrefix);
  const jump = (name: string): string[] => ['-i', `${bridgePrefix}+`, '-j', name];

  const put = async ({ name, from, rules }: Chain): Promise<string | undefined> => {
    await iptables.run(['-N', name]);
    // Filled before it is jumped to; a rule is added before what it replaces is gone.
    const isFilled = (await Promise.all(rules.map((rule) => iptables.run(['-C', name, ...rule])))).every(
      ({ isOk }) => isOk,
    );
    if (!isFilled) {
      await iptables.run(['-F', name]);
      for (const rule of rules) {
        const { isOk, output } = await iptables.run(['-A', name, ...rule]);
        if (!isOk) return output;
      }
    }
    let problem: string | undefined;
    for (const base of from) {
      if ((await iptables.run(['-C', base, ...jump(name)])).isOk) return undefined;
      const { isOk, output } = await iptables.run(['-I', base, '1', ...jump(name)]);
      if (isOk) return undefined;
      problem = output;
    }
    return problem;
  };
  const ensure = async (): Promise<string | undefined> => {
    for (const chain of chains) {
      const problem = await put(chain);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
  const problem = await ensure();
  return {
    ...(problem !== undefined && { problem: `a rule was refused: ${problem}` }),
    ensure: async () => void (await ensure()),
    async remove() {
      for (const { name, from } of chains) {
        for (const base of from) while ((await iptables.run(['-D', base, ...jump(name)])).isOk);
        await iptables.run(['-F', name]);
        await iptables.run(['-X', name]);
      }
    },
  };
}
