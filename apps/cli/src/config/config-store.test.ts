import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import { createFileConfigStore } from './config-store.ts';
import { findLocalKey } from './resolve-target.ts';

test('what is written is read again, by its owner alone', async () => {
  await using folder = await createTemporaryFolder();
  const file = path.join(folder.path, 'berth/config.json');
  const store = createFileConfigStore(file);
  expect(await store.read()).toEqual({ servers: {} });
  const config = { current: 'http://a', servers: { 'http://a': { key: 'k' } } };
  await store.write(config);
  await store.write(config);
  expect(await createFileConfigStore(file).read()).toEqual(config);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(path.dirname(file))).mode & 0o777).toBe(0o700);
  expect(await readdir(path.dirname(file))).toEqual(['config.json']);
});

// Fails when `isConfig` lets one through: every command would end with a TypeError and a stack trace.
test.each([
  ...['{', '[]', 'null', '{"servers":1}', '', '{}', '{"servers":null}', '{"servers":[]}', '{"current":5,"servers":{}}'],
  ...['{"servers":{"http://a":null}}', '{"servers":{"http://a":"key"}}', '{"servers":{"http://a":{"key":5}}}'],
  '{"servers":{"http://a":{"bearer":{}}}}',
])('a file that holds %s is told, not overwritten by a guess', async (text) => {
  await using folder = await createTemporaryFolder();
  await folder.write({ 'config.json': text });
  await expect(createFileConfigStore(path.join(folder.path, 'config.json')).read()).rejects.toThrow(
    /can't be read.*login/,
  );
});

test('the local key is that of the first folder that has one', async () => {
  await using folder = await createTemporaryFolder();
  await folder.write({ 'b/api-key': 'key-b\n', 'c/api-key': 'key-c', 'empty/api-key': '\n' });
  const at = (name: string) => path.join(folder.path, name);
  expect(await findLocalKey([at('a'), at('empty'), at('b'), at('c')])).toEqual({ key: 'key-b', path: at('b/api-key') });
  expect(await findLocalKey([at('a')])).toBeUndefined();
});
