import { findExecutable, type ProbeResult, runProbe } from '@berth/runtime/drivers';

/** The folders of iptables on common systems. PATH isn't used. */
const FOLDERS = ['/usr/sbin', '/sbin', '/usr/bin', '/bin', '/usr/local/sbin', '/run/current-system/sw/bin'];
const TIMEOUT_MS = 10_000;
/** Waits up to five seconds for other programs that change rules, such as the engine. */
const WAIT = ['-w', '5'];

type IptablesResult = Pick<ProbeResult, 'isOk' | 'output'>;

/** A table of iptables. `security` is evaluated after `filter`, for packets that it accepted. Source: iptables(8), netfilter's hook priorities. */
export type IptablesTable = 'filter' | 'security';

/** The kernel's packet filter for one IP version. */
export interface Iptables {
  /** Runs iptables(8). Never rejects. */
  run(table: IptablesTable, args: readonly string[]): Promise<IptablesResult>;
  /** Creates a chain, or replaces all of its rules atomically. Never rejects. */
  fill(table: IptablesTable, chain: string, rules: readonly (readonly string[])[]): Promise<IptablesResult>;
}

/** Finds iptables or ip6tables; undefined when the program isn't installed. */
export function findIptables(name: 'iptables' | 'ip6tables'): Iptables | undefined {
  const program = findExecutable(name, FOLDERS);
  if (program === undefined) return undefined;
  return {
    run: (table, args) => runProbe([program, ...WAIT, '-t', table, ...args], { timeoutMs: TIMEOUT_MS }),
    fill(table, chain, rules) {
      const lines = [
        `*${table}`,
        `:${chain} - [0:0]`,
        ...rules.map((rule) => `-A ${chain} ${rule.join(' ')}`),
        'COMMIT',
      ];
      // Only the named chain is replaced, in one transaction. Source: iptables-restore(8).
      return runProbe([`${program}-restore`, ...WAIT, '--noflush'], {
        input: `${lines.join('\n')}\n`,
        timeoutMs: TIMEOUT_MS,
      });
    },
  };
}
