import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createSilentLogger } from '@berth/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureKeyFile, keyFileOf, loadKeys } from './load-keys.ts';
import { parseKeys } from './parse-keys.ts';

const KEY_1 = 'k1:q83vEjRWeJCrze8SNFZ4kLZXqe0AEh7dy5b0PsFylhE=';
const KEY_2 = 'k2:xlUxMvRd0Jc0qO2fYvYkQm0pTzF0c1F6r4h8M1sJ3nw=';
const bytes = (fill: (index: number) => number) => Buffer.from(Array.from({ length: 32 }, (_, i) => fill(i) & 0xff));
const base64 = (buffer: Uint8Array) => Buffer.from(buffer).toString('base64');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'agent-keys-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('keys are parsed in order, in every supported spelling', () => {
  expect(parseKeys(`${KEY_1},${KEY_2}`, 'x').map(({ id }) => id)).toEqual(['k1', 'k2']);
  expect(parseKeys(` ${KEY_1} \n\n${KEY_2.replaceAll('+', '-').replace('=', '')},`, 'x')).toHaveLength(2);
});

test.each([
  ['', 'it contains no key'],
  [' , ', 'it contains no key'],
  ['q83vEjRWeJCrze8SNFZ4kLZXqe0AEh7dy5b0PsFylhE=', 'does not have the form'],
  [':q83vEjRWeJCrze8SNFZ4kLZXqe0AEh7dy5b0PsFylhE=', 'does not have the form'],
  ['a b:q83vEjRWeJCrze8SNFZ4kLZXqe0AEh7dy5b0PsFylhE=', 'does not have the form'],
  ['k1.x:q83vEjRWeJCrze8SNFZ4kLZXqe0AEh7dy5b0PsFylhE=', 'does not have the form'],
  ['k1:', '32 bytes'],
  ['k1:!!!!', '32 bytes'],
  [`k1:${base64(Buffer.from('q83vEjRWeJCrze8SNFZ4kA==', 'base64'))}`, 'it is 16'],
  [`k1:${base64(bytes((i) => i * 37 + (i % 5)).subarray(0, 31))}`, 'it is 31'],
  [`k1:${base64(bytes(() => 0))}`, 'not random'],
  [`k1:${base64(bytes(() => 0xff))}`, 'not random'],
  [`k1:${base64(bytes((i) => i))}`, 'not random'],
  [`k1:${base64(bytes((i) => 255 - i * 3))}`, 'not random'],
  [`k1:${base64(bytes((i) => (i % 8) * 91 + 200))}`, 'not random'],
  [`k1:${base64(Buffer.from('0123456789abcdef0123456789abcdef'))}`, 'not random'],
  [`k1:${base64(Buffer.from('change-me-to-32-random-bytes-ok!'))}`, 'not random'],
])('%s is refused at start', (text, message) => {
  expect(() => parseKeys(text, 'BERTH_AGENT_KEYS')).toThrow(message);
  expect(() => parseKeys(text, 'BERTH_AGENT_KEYS')).toThrow(/^BERTH_AGENT_KEYS: /);
  const secret = text.split(':')[1];
  // The message is logged.
  if (secret) expect(() => parseKeys(text, 'x')).not.toThrow(secret);
});

const load = (options: Partial<Parameters<typeof loadKeys>[0]>) =>
  loadKeys({
    secretKeys: undefined,
    environment: {},
    dataFolder: folder,
    isProduction: false,
    logger: createSilentLogger(),
    ...options,
  });

test('without keys from the owner, one key file is created and shared by all instances', async () => {
  const dataFolder = path.join(folder, 'first');
  const file = keyFileOf(dataFolder);
  const made = await Promise.all(Array.from({ length: 8 }, () => ensureKeyFile(file)));
  expect(new Set(made.map(([key]) => `${key?.id} ${key?.bytes.toString('hex')}`)).size).toBe(1);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(path.dirname(file))).toEqual(['keys']);
  const warnings: string[] = [];
  const logger = { ...createSilentLogger(), warn: (_fields: unknown, message: string) => void warnings.push(message) };
  expect(await load({ dataFolder, logger })).toEqual(made[0]);
  expect(warnings).toEqual([]);
  await load({ dataFolder, isProduction: true, logger });
  expect(warnings).toEqual([expect.stringContaining('set BERTH_AGENT_KEYS')]);

  // What was sealed before the owner gave keys opens still.
  const given = await load({ dataFolder, environment: { BERTH_AGENT_KEYS: KEY_1 } });
  expect(given.map(({ id }) => id)).toEqual(['k1', made[0]?.[0]?.id]);
  await writeFile(file, 'k1:cut');
  await expect(load({ dataFolder })).rejects.toThrow(/restore it from a backup.*32 bytes/s);
  await chmod(file, 0o600);
  expect(await readFile(file, 'utf8')).toBe('k1:cut');
});

test('keys in the environment: the highest number first', async () => {
  const ids = async (environment: Record<string, string>) => (await load({ environment })).map(({ id }) => id);
  const third = `k3:${base64(bytes((i) => i * i * 7 + i * 13 + 5))}`;
  expect(
    await ids({
      BERTH_AGENT_KEYS: KEY_1,
      BERTH_AGENT_KEYS_2: KEY_2,
      BERTH_AGENT_KEYS_10: third,
      BERTH_AGENT_KEYS_X: '?',
    }),
  ).toEqual(['k3', 'k2', 'k1']);
  expect(await ids({ BERTH_AGENT_KEYS: `${KEY_2},${KEY_1}`, BERTH_AGENT_KEYS_2: KEY_2 })).toEqual(['k2', 'k1']);
  await expect(ids({ BERTH_AGENT_KEYS_2: 'k2:short' })).rejects.toThrow('BERTH_AGENT_KEYS_2: the key "k2"');
  const other = KEY_2.replace('k2', 'k1');
  await expect(ids({ BERTH_AGENT_KEYS: KEY_1, BERTH_AGENT_KEYS_2: other })).rejects.toThrow(
    'two keys have the id "k1"',
  );
  const twin = KEY_1.replace('k1', 'k9');
  await expect(ids({ BERTH_AGENT_KEYS: `${KEY_1},${twin}` })).rejects.toThrow('"k1" and "k9" are the same key');
  expect((await load({ secretKeys: KEY_2, environment: { BERTH_AGENT_KEYS: KEY_1 } })).map(({ id }) => id)).toEqual([
    'k2',
  ]);
});

test('a folder that can’t be written is reported with a remedy', async () => {
  const blocked = path.join(folder, 'blocked');
  await writeFile(blocked, 'a file');
  await expect(ensureKeyFile(keyFileOf(blocked))).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/ENOTDIR.*set BERTH_AGENT_KEYS/),
  });
});
