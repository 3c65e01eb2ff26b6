import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';

/** Where systems keep it, whatever PATH says. */
const FOLDERS = ['/usr/sbin', '/sbin', '/usr/bin', '/bin', '/usr/local/sbin', '/run/current-system/sw/bin'];
const TIMEOUT_MS = 10_000;
/** Waits for others that change rules at the same time, the engine first of all. */
const WAIT = ['-w', '5'];

/** Whether a command succeeded, and what it printed. */
export interface IptablesResult {
  readonly isOk: boolean;
  readonly output: string;
}

/** `security` is asked after `filter`, about what that let pass. Source: iptables(8), netfilter's hook priorities. */
export type IptablesTable = 'filter' | 'security';

/** The packet filter of this machine's kernel, for one version of IP. */
export interface Iptables {
  /** Runs iptables(8). Never rejects. */
  run(table: IptablesTable, args: readonly string[]): Promise<IptablesResult>;
  /** Makes a chain, or replaces all of its rules in one step. Never rejects. */
  fill(table: IptablesTable, chain: string, rules: readonly (readonly string[])[]): Promise<IptablesResult>;
}

/** Undefined where the program is not installed. */
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
      // Chains that are not named stay as they are; the named one is replaced in one transaction. Source: iptables-restore(8).
      return execute(`${program}-restore`, [...WAIT, '--noflush'], `${lines.join('\n')}\n`);
    },
  };
}

function execute(program: string, args: readonly string[], input: string): Promise<IptablesResult> {
  return new Promise((resolve) => {
    const child = execFile(program, args, { timeout: TIMEOUT_MS, env: {} }, (error, stdout, stderr) =>
      resolve({ isOk: error === null, output: `${stdout}${stderr}`.trim() }),
    );
    // A program that ends before it read its input reports that by its exit.
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
