import { expect, test } from 'vitest';
import { openFirewall } from './firewall.ts';
import type { Iptables } from './iptables.ts';

/** Chains of rules in memory, with what this package uses of iptables(8). */
function createTables(...present: string[]) {
  const chains = new Map<string, string[]>(present.map((name) => [name, []]));
  const run: Iptables['run'] = async ([action, chain = '', ...rest]) => {
    const rules = chains.get(chain);
    const answer = (isOk: boolean) => ({ isOk, output: isOk ? '' : `refused: ${action} ${chain}` });
    if (action === '-N') return answer(!rules && chains.set(chain, []).has(chain));
    if (!rules) return answer(false);
    if (action === '-X') return answer(chains.delete(chain));
    if (action === '-F') rules.length = 0;
    else if (action === '-A') rules.push(rest.join(' '));
    else if (action === '-I') rules.unshift(rest.slice(1).join(' '));
    else {
      const index = rules.indexOf(rest.join(' '));
      if (index < 0) return answer(false);
      if (action === '-D') rules.splice(index, 1);
    }
    return answer(true);
  };
  return { chains, iptables: { run } };
}

test('rules are put where an engine keeps them, once, and taken away', async () => {
  const { chains, iptables } = createTables('INPUT', 'FORWARD', 'DOCKER-USER');
  const firewall = await openFirewall({ iptables, bridgePrefix: 'btabcde' });
  expect(firewall.problem).toBeUndefined();
  await firewall.ensure();
  expect(chains.get('INPUT')).toEqual(['-i btabcde+ -j BERTH-btabcde-IN']);
  expect(chains.get('DOCKER-USER')).toEqual(['-i btabcde+ -j BERTH-btabcde-FWD']);
  expect(chains.get('FORWARD')).toEqual([]);
  expect(chains.get('BERTH-btabcde-IN')?.at(-1)).toBe('-j REJECT');
  expect(chains.get('BERTH-btabcde-IN')).toHaveLength(5);
  await firewall.remove();
  expect([...chains]).toEqual([
    ['INPUT', []],
    ['FORWARD', []],
    ['DOCKER-USER', []],
  ]);
});

test('what was flushed is put back', async () => {
  const { chains, iptables } = createTables('INPUT', 'FORWARD');
  const firewall = await openFirewall({ iptables, bridgePrefix: 'bt12345' });
  for (const rules of chains.values()) rules.length = 0;
  await firewall.ensure();
  expect(chains.get('INPUT')).toHaveLength(1);
  expect(chains.get('FORWARD')).toHaveLength(1);
  expect(chains.get('BERTH-bt12345-FWD')).toHaveLength(2);
});

test('a machine without iptables, or that refuses, says so', async () => {
  expect((await openFirewall({ iptables: undefined, bridgePrefix: 'bt' })).problem).toBe('iptables is not installed');
  const refusing: Iptables = { run: async () => ({ isOk: false, output: 'Permission denied (you must be root)' }) };
  expect((await openFirewall({ iptables: refusing, bridgePrefix: 'bt' })).problem).toContain('you must be root');
});
