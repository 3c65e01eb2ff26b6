import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { answerJson } from '@berth/client/testing';
import { expect, test } from 'vitest';
import { useBerth } from '../../testing/use-berth.ts';

const berth = useBerth();

/** A platform that knows the names of the agent's variables; answers what is changed. */
function platform(names: readonly string[], logs: readonly object[] = []) {
  const changes: { set: Record<string, string>; unset: string[] }[] = [];
  const queries: unknown[] = [];
  const rows = names.map((key) => ({ key, updated_at: '2026-01-01T00:00:00Z' }));
  berth.server.on('GET /v1/env/list', answerJson(200, rows));
  berth.server.on('POST /v1/env/set', async (exchange) => {
    changes.push((await exchange.json()) as (typeof changes)[number]);
    const applied = { detail: 'Set.', status: 'applied', deploy_id: 'dep_1', revision: 'app-2' };
    await answerJson(200, applied)(exchange);
  });
  berth.server.on('POST /v1/deployment/logs', async (exchange) => {
    queries.push(await exchange.json());
    await answerJson(200, { logs, cursor: null })(exchange);
  });
  return { changes, queries };
}

test('a deployed agent gets a key of its own number, which is not shown', async () => {
  const { changes } = platform(['LOG_LEVEL']);
  const first = await berth.run(['agent', 'rotate-keys', 'helper']);
  const next = platform(['BERTH_AGENT_KEYS', 'BERTH_AGENT_KEYS_9', 'BERTH_AGENT_KEYS_10', 'BERTH_AGENT_KEYS_X']);
  const second = await berth.run(['agent', 'rotate-keys', 'helper']);
  expect([first.code, second.code]).toEqual([0, 0]);
  const [one, two] = [changes[0]?.set['BERTH_AGENT_KEYS'], next.changes[0]?.set['BERTH_AGENT_KEYS_11']];
  expect(one).toMatch(/^k1-[0-9a-f]{8}:[A-Za-z0-9+/]{43}=$/);
  expect(two).toMatch(/^k11-[0-9a-f]{8}:[A-Za-z0-9+/]{43}=$/);
  const shown = [first, second].map(({ stdout, stderr }) => stdout + stderr).join('');
  expect(shown).not.toContain(one?.split(':')[1]);
  expect(shown).not.toContain(two?.split(':')[1]);
  expect(second.stderr).toContain('berth agent rotate-keys helper --finish');
});

test('older keys go when the agent has said that nothing needs them', async () => {
  const names = ['BERTH_AGENT_KEYS', 'BERTH_AGENT_KEYS_2', 'BERTH_AGENT_KEYS_3', 'OTHER'];
  const early = platform(names);
  const refused = await berth.run(['agent', 'rotate-keys', 'helper', '--finish']);
  expect([refused.code, early.changes]).toEqual([1, []]);
  expect(refused.stderr).toContain('has not yet logged');
  expect(early.queries).toEqual([
    {
      deployment_name: 'helper',
      since: '2026-01-01T00:00:00Z',
      limit: 1,
      query: 'message:"connections are encrypted with the current key" AND jsonPayload.key=~"^k3-"',
    },
  ]);
  const ready = platform(names, [{ timestamp: '2026-01-01T00:01:00Z', severity: 'INFO', message: 'connections …' }]);
  expect((await berth.run(['agent', 'rotate-keys', 'helper', '--finish'])).code).toBe(0);
  expect(ready.changes).toMatchObject([{ set: {}, unset: ['BERTH_AGENT_KEYS_2', 'BERTH_AGENT_KEYS'] }]);
  const forced = platform(names);
  expect((await berth.run(['agent', 'rotate-keys', 'helper', '--finish', '--force'])).code).toBe(0);
  expect([forced.changes.length, forced.queries]).toEqual([1, []]);
  platform(['BERTH_AGENT_KEYS_3']);
  expect((await berth.run(['agent', 'rotate-keys', 'helper', '--finish'])).stderr).toContain('no older keys');
});

test('the keys of a data folder are rotated in their file', async () => {
  const old = 'k-old:q83vEjRWeJCrze8SNFZ4kLZXqe0AEh7dy5b0PsFylhE=';
  await berth.home.write({ 'data/.secrets/keys': `${old}\n` });
  const file = path.join(berth.home.path, 'data/.secrets/keys');
  const read = async () => (await readFile(file, 'utf8')).trim().split('\n');
  const rotate = (...words: string[]) => berth.runAlone(['agent', 'rotate-keys', '--data', 'data', ...words]);
  expect((await rotate()).code).toBe(0);
  const [current = '', before] = await read();
  expect([current, before]).toEqual([expect.stringMatching(/^k-[0-9a-f]{8}:[A-Za-z0-9+/]{43}=$/), old]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await rotate('--finish')).toMatchObject({ code: 1, stderr: expect.stringContaining('has not yet logged') });
  await berth.home.write({ 'data/.secrets/sealed-with': `${current.split(':')[0]}\n` });
  expect((await rotate('--finish')).code).toBe(0);
  expect(await read()).toEqual([current]);
});

test.each([
  [[], 'Give the name of a deployed agent'],
  [['--data', 'nowhere'], 'does not exist'],
])('%j is no command line', async (words, message) => {
  const result = await berth.run(['agent', 'rotate-keys', ...words]);
  expect([result.code, result.stderr]).toEqual([2, expect.stringContaining(message)]);
});
