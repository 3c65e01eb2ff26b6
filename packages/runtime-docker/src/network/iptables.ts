import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';

/** The folders of iptables on common systems. PATH isn't used. */
const FOLDERS = ['/usr/sbin', '/sbin', '/usr/bin', '/bin', '/usr/local/sbin', '/run/current-system/sw/bin'];
const TIMEOUT_MS = 10_000;
/** Waits up to five seconds for other programs that change rules, such as the engine. */
const WAIT = ['-w', '5'];

/** The result of a command. */
export interface IptablesResult {
  readonly isOk: boolean;
  readonly output: string;
}

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
  const program = FOLDERS.map((folder) => path.join(folder, name)).find(isExecutable);
  if (program === undefined) return undefined;
  return {
    run: (table, args) => execute(program, [...WAIT, '-t', table, ...args], ''),
    fill(table, chain, rules) {
      const lines = [
        `*${table}`,
        `:${chain} - [0:0]`,
        ...rules.map((rule) => `-A ${chain} ${rule.join(' ')}`),
        'COMMIT',
      ];
      // Only the named chain is replaced, in one transaction. Source: iptables-restore(8).
      return execute(`${program}-restore`, [...WAIT, '--noflush'], `${lines.join('\n')}\n`);
    },
  };
}

function execute(program: string, args: readonly string[], input: string): Promise<IptablesResult> {
  return new Promise((resolve) => {
    const child = execFile(program, args, { timeout: TIMEOUT_MS, env: {} }, (error, stdout, stderr) =>
      resolve({ isOk: error === null, output: `${stdout}${stderr}`.trim() }),
    );
    // The exit code reports when a program ends before it has read its input.
    child.stdin?.on('error', () => {}).end(input);
  });
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
