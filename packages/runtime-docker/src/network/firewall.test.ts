import { expect, test } from 'vitest';
import { openFirewall } from './firewall.ts';
import type { Iptables, IptablesTable } from './iptables.ts';

/** Chains of rules in memory, with what this package uses of iptables(8). Those of `security` are named with its name. */
function createTables(...present: string[]) {
  const chains = new Map<string, string[]>(['security FORWARD', ...present].map((name) => [name, []]));
  const key = (table: IptablesTable, chain: string) => (table === 'filter' ? chain : `${table} ${chain}`);
  const run: Iptables['run'] = async (table, [action, chain = '', ...rest]) => {
    const rules = chains.get(key(table, chain));
    const answer = (isOk: boolean) => ({ isOk, output: isOk ? '' : `refused: ${action} ${chain}` });
    if (!rules) return answer(false);
    if (action === '-X') return answer(chains.delete(key(table, chain)));
    if (action === '-F') rules.length = 0;
    else if (action === '-I') rules.unshift(rest.slice(1).join(' '));
    else {
      const index = rules.indexOf(rest.join(' '));
      if (index < 0) return answer(false);
      if (action === '-D') rules.splice(index, 1);
    }
    return answer(true);
  };
  const fill: Iptables['fill'] = async (table, chain, rules) => {
    chains.set(
      key(table, chain),
      rules.map((rule) => rule.join(' ')),
    );
    return { isOk: true, output: '' };
  };
  return { chains, iptables: { run, fill } };
}

const OPTIONS = { ip6tables: null, blockedRanges: [], nameServers: [], hasBridgeNames: false };

test('rules are put where an engine keeps them, once, and taken away', async () => {
  const { chains, iptables } = createTables('INPUT', 'FORWARD', 'DOCKER-USER');
  const firewall = await openFirewall({ ...OPTIONS, iptables, bridgePrefix: 'btabcde' });
  expect(firewall.problem).toBeUndefined();
  await firewall.ensure();
  expect(chains.get('INPUT')).toEqual(['-i btabcde+ -j BERTH-btabcde-IN']);
  expect(chains.get('DOCKER-USER')).toEqual(['-i btabcde+ -j BERTH-btabcde-FWD']);
  expect(chains.get('FORWARD')).toEqual([]);
  expect(chains.get('security FORWARD')).toEqual(['-i btabcde+ -j BERTH-btabcde-FWD']);
  expect(chains.get('BERTH-btabcde-IN')?.at(-1)).toBe('-j REJECT');
  expect(chains.get('BERTH-btabcde-IN')).toHaveLength(2);
  await firewall.remove();
  expect([...chains]).toEqual([
    ['security FORWARD', []],
    ['INPUT', []],
    ['FORWARD', []],
    ['DOCKER-USER', []],
  ]);
});

test('what was flushed is put back', async () => {
  const { chains, iptables } = createTables('INPUT', 'FORWARD');
  const firewall = await openFirewall({ ...OPTIONS, iptables, bridgePrefix: 'bt12345' });
  for (const rules of chains.values()) rules.length = 0;
  await firewall.ensure();
  expect(chains.get('INPUT')).toHaveLength(1);
  expect(chains.get('FORWARD')).toHaveLength(1);
  expect(chains.get('BERTH-bt12345-FWD')).toHaveLength(2);
});

test('the machine is asked for names only on its name servers, and blocked ranges stay blocked around them', async () => {
  const { chains, iptables } = createTables('INPUT', 'FORWARD');
  const six = createTables('INPUT', 'FORWARD');
  const blockedRanges = ['10.0.0.0/8', 'fd00::/8'];
  const nameServers = ['10.0.0.2', 'fd00::53'];
  const options = {
    ...OPTIONS,
    iptables,
    ip6tables: six.iptables,
    bridgePrefix: 'bt12345',
    blockedRanges,
    nameServers,
  };
  await openFirewall(options);
  const names = ['udp', 'tcp'].map((protocol) => `-p ${protocol} -d 10.0.0.2 --dport 53 -j RETURN`);
  expect(chains.get('BERTH-bt12345-IN')).toEqual([
    '-m conntrack --ctstate ESTABLISHED,RELATED -j RETURN',
    ...names,
    '-j REJECT',
  ]);
  expect(chains.get('BERTH-bt12345-FWD')).toEqual([
    ...names,
    '-d 169.254.0.0/16 -j REJECT',
    '-d 10.0.0.0/8 -j REJECT',
    '-o bt+ -m conntrack --ctstate NEW -j REJECT',
  ]);
  expect(chains.get('security BERTH-bt12345-FWD')).toEqual(
    chains.get('BERTH-bt12345-FWD')?.map((rule) => rule.replace('-j REJECT', '-j DROP')),
  );
  expect(six.chains.get('BERTH-bt12345-FWD')).toEqual(['-j REJECT']);
  expect(six.chains.get('INPUT')).toEqual(['-i bt12345+ -j BERTH-bt12345-IN']);
  // Fails when `fill` only adds: a range that the operator takes back would stay blocked.
  await openFirewall({ ...options, blockedRanges: [] });
  expect(chains.get('BERTH-bt12345-FWD')).toHaveLength(4);
});

test('a machine with IPv6 and without ip6tables says so', async () => {
  const { iptables } = createTables('INPUT', 'FORWARD');
  const firewall = await openFirewall({ ...OPTIONS, iptables, ip6tables: undefined, bridgePrefix: 'bt' });
  expect(firewall.problem).toBe('ip6tables is not installed');
});

test('a machine without iptables, or that refuses, says so', async () => {
  expect((await openFirewall({ ...OPTIONS, iptables: undefined, bridgePrefix: 'bt' })).problem).toBe(
    'iptables is not installed',
  );
  const refuse = async () => ({ isOk: false, output: 'Permission denied (you must be root)' });
  const refusing: Iptables = { run: refuse, fill: refuse };
  expect((await openFirewall({ ...OPTIONS, iptables: refusing, bridgePrefix: 'bt' })).problem).toContain(
    'you must be root',
  );
});
