import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openTestAgent, type TestAgent } from '@berth/agent/testing';
import { createRecordingLogger } from '@berth/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { key } from '../declare/key.ts';

const KEY_1 = 'k1:q83vEjRWeJCrze8SNFZ4kLZXqe0AEh7dy5b0PsFylhE=';
const KEY_2 = 'k2:xlUxMvRd0Jc0qO2fYvYkQm0pTzF0c1F6r4h8M1sJ3nw=';
const connectors = [key({ name: 'crm', api: 'https://api.crm.example' })];
let dataFolder: string;
beforeAll(async () => {
  dataFolder = await mkdtemp(path.join(tmpdir(), 'agent-start-'));
});
afterAll(() => rm(dataFolder, { recursive: true, force: true }));

const lines: string[] = [];
const open = (environment: Record<string, string> = {}) =>
  openTestAgent({ connectors, dataFolder, environment, logger: createRecordingLogger(lines) });
const isConnected = async (agent: TestAgent) => {
  const [row] = (await (await agent.call('ann', 'GET', '/connectors')).json()) as { connected: boolean }[];
  return row?.connected;
};
const connect = async (agent: TestAgent) =>
  (await agent.call('ann', 'PUT', '/connectors/crm/key', { key: 'a-key-of-ann' })).status;

test('an agent opens what its keys of before and now seal, and says what it cannot', async () => {
  const file = path.join(dataFolder, '.secrets', 'keys');
  {
    await using own = await open();
    expect([await connect(own), await isConnected(own)]).toEqual([200, true]);
  }
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  {
    // The owner gives a key: the file's opens what it sealed.
    await using given = await open({ BERTH_AGENT_KEYS: KEY_1 });
    expect(await isConnected(given)).toBe(true);
    expect(await connect(given)).toBe(200);
  }
  {
    await using other = await open({ BERTH_AGENT_KEYS: KEY_2 });
    expect(await isConnected(other)).toBe(false);
    expect(lines.join('\n')).toContain('"message":"a connection can\'t be decrypted and counts as not connected"');
  }
  {
    await using rotated = await open({ BERTH_AGENT_KEYS: KEY_1, BERTH_AGENT_KEYS_2: KEY_2 });
    expect([await isConnected(rotated), await connect(rotated)]).toEqual([true, 200]);
  }
  {
    await using without = await open({ BERTH_AGENT_KEYS_2: KEY_2 });
    expect(await isConnected(without)).toBe(true);
  }
  const secrets = [KEY_1, KEY_2, await readFile(file, 'utf8'), 'a-key-of-ann'].map((one) =>
    one.trim().split(':').at(-1),
  );
  for (const secret of secrets) expect(lines.join('\n')).not.toContain(secret);
});

test.each([
  [{ BERTH_AGENT_KEYS: 'secret' }, 'BERTH_AGENT_KEYS: key 1 does not have the form id:base64.'],
  [
    { BERTH_AGENT_KEYS: KEY_1, BERTH_AGENT_KEYS_2: `${KEY_2.slice(0, -9)}=` },
    'BERTH_AGENT_KEYS_2: the key "k2" must be',
  ],
])('with keys that are none it does not start', async (environment, message) => {
  await expect(open(environment)).rejects.toThrow(message);
});
