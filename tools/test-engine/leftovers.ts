import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';

/** Bridges of the runtime's networks, and chains of its rules. Source: `bridgePrefix` and the firewall of runtime-docker. */
const BRIDGE = /^bt[0-9a-f]{13}$/;
const CHAIN = /^-N (BERTH-bt[0-9a-f]{5}-(?:FWD|IN))$/;

/**
 * Removes what tests that were killed left in the kernel: bridges, whose routes would take the addresses of new ones, and rules. Only
 * when no engine runs: then nothing that they belong to does.
 */
export function removeLeftovers(): void {
  for (const name of readdirSync('/sys/class/net')) if (BRIDGE.test(name)) run('ip', ['link', 'delete', name]);
  const rules = run('iptables', ['-S']).split('\n');
  const chains = rules.flatMap((rule) => CHAIN.exec(rule)?.[1] ?? []);
  for (const rule of rules) {
    const [, ...words] = rule.split(' ');
    if (rule.startsWith('-A ') && chains.includes(words.at(-1) ?? '')) run('iptables', ['-D', ...words]);
  }
  for (const chain of chains) run('iptables', ['-F', chain]);
  for (const chain of chains) run('iptables', ['-X', chain]);
}

/** Its output; nothing when it is not there or refuses. */
function run(command: string, words: readonly string[]): string {
  return spawnSync(command, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).stdout ?? '';
}
