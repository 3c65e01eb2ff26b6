import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createSegmentCache } from './segment-cache.ts';

function openCache(maxBytes = 100) {
  const root = mkdtempSync(join(tmpdir(), 'berth-cache-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, 'cache');
  mkdirSync(folder);
  writeFileSync(join(folder, 'half-a-file'), 'x');
  const fetched: string[] = [];
  const cache = createSegmentCache(folder, maxBytes);
  const file = (name: string, sizeBytes = 40) => ({ name: `log/${name}`, sizeBytes });
  const fetch = async ({ name, sizeBytes }: { name: string; sizeBytes: number }, target: string) => {
    fetched.push(name.slice(4));
    await writeFile(target, 'x'.repeat(sizeBytes));
  };
  return {
    root,
    folder,
    fetched,
    cache,
    file,
    fetch,
    hold: (...names: readonly string[]) =>
      cache.hold(
        names.map((name) => file(name)),
        fetch,
      ),
    names: () => readdirSync(join(folder, 'log')).sort(),
  };
}

test('fetches what is not there, once, also for many at once; what a crash left is gone', async () => {
  const { hold, fetched, names, folder } = openCache();
  const held = await Promise.all([hold('a', 'b'), hold('b', 'a'), hold('a')]);
  expect([...fetched].sort()).toEqual(['a', 'b']);
  expect(held[1]?.paths).toEqual([join(folder, 'log/b'), join(folder, 'log/a')]);
  expect(names()).toEqual(['a', 'b']);
  expect(readdirSync(folder)).toEqual(['log']);
});

test('what was not used for longest goes', async () => {
  const { hold, names, fetched } = openCache();
  for (const name of ['a', 'b', 'a', 'c']) (await hold(name))[Symbol.dispose]();
  await expect.poll(names).toEqual(['a', 'c']);
  (await hold('b'))[Symbol.dispose]();
  await expect.poll(names).toEqual(['b', 'c']);
  expect(fetched).toEqual(['a', 'b', 'c', 'b']);
});

test('who wants more than is free waits for those who read, and takes nothing from them', async () => {
  const { hold, names } = openCache();
  const first = await hold('a', 'b');
  let isThere = false;
  const second = hold('c').then((held) => {
    isThere = true;
    return held;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isThere).toBe(false);
  expect(names()).toEqual(['a', 'b']);
  first[Symbol.dispose]();
  (await second)[Symbol.dispose]();
  await expect.poll(names).toEqual(['b', 'c']);
});

test('more than there may ever be is said at once', async () => {
  const { hold } = openCache();
  await expect(hold('a', 'b', 'c')).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/BERTH_LOG_CACHE/),
  });
});

test('a fetch that fails is an error for all who waited, takes no room, and is tried again', async () => {
  const { cache, file, hold, names } = openCache();
  const fail = async () => Promise.reject(new Error('no answer'));
  const both = [cache.hold([file('a')], fail), cache.hold([file('a')], fail)];
  for (const one of both) await expect(one).rejects.toThrow('no answer');
  (await hold('a', 'b'))[Symbol.dispose]();
  expect(names()).toEqual(['a', 'b']);
});

test('who goes away does not end the fetch of others', async () => {
  const { cache, file, hold } = openCache();
  const gate = Promise.withResolvers<void>();
  const slow = async (_: unknown, target: string) => {
    await gate.promise;
    await writeFile(target, 'x');
  };
  const leave = new AbortController();
  const gone = cache.hold([file('a')], slow, leave.signal);
  const stays = hold('a');
  leave.abort(new Error('gone'));
  await expect(gone).rejects.toThrow('gone');
  gate.resolve();
  expect((await stays).paths).toHaveLength(1);
});

test('a file that is made here is taken in where there is room, and is gone where it was', async () => {
  const { cache, root, file, hold, names, fetched } = openCache(50);
  for (const name of ['a', 'b']) writeFileSync(join(root, name), 'x');
  await cache.adopt(file('a'), join(root, 'a'));
  const held = await hold('a');
  await cache.adopt(file('b'), join(root, 'b'));
  expect({ names: names(), fetched, left: readdirSync(root) }).toEqual({ names: ['a'], fetched: [], left: ['cache'] });
  cache.drop(file('a').name);
  expect(names()).toEqual(['a']);
  held[Symbol.dispose]();
  await expect.poll(names).toEqual([]);
});
