import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ensureFolders, makeBelow, type OpenFolder, openBelow, openFolder } from './open-folder.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'berth-open-'));
  mkdirSync(path.join(root, 'volume/a/b'), { recursive: true });
  mkdirSync(path.join(root, 'outside/secret'), { recursive: true });
  writeFileSync(path.join(root, 'volume/file'), '');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const at = (name: string) => path.join(root, name);

async function openVolume(): Promise<OpenFolder> {
  const folder = await openFolder(at('volume'));
  if (!folder) throw new Error('the volume is not there');
  return folder;
}

test('only a folder itself is opened: no link to one, no file, nothing', async () => {
  symlinkSync(at('outside'), at('link'));
  symlinkSync(at('circle'), at('circle'));
  for (const name of ['link', 'circle', 'volume/file', 'missing', 'volume/file/below']) {
    expect([name, await openFolder(at(name))]).toEqual([name, undefined]);
  }
  // Fails when every error counts as absence: an operator would look for a file that is there.
  await expect(openFolder(`${root}/${'n'.repeat(300)}`)).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
});

// Fails when an entry's path is built from the folder's path: a service that swaps the folder for a link would have the
// server, which may be root, write outside of the volume.
test.runIf(process.platform === 'linux')(
  'a folder that is held open is the same one when its path leads elsewhere',
  async () => {
    await using folder = await openVolume();
    renameSync(at('volume'), at('was'));
    symlinkSync(at('outside'), at('volume'));
    await writeFile(folder.at('new'), 'text');
    expect(readdirSync(at('outside'))).toEqual(['secret']);
    expect(readdirSync(at('was')).sort()).toEqual(['a', 'file', 'new']);
    await using below = await openBelow(folder, ['secret']);
    expect(below).toBeUndefined();
  },
);

describe.each([
  ['openBelow', openBelow],
  ['makeBelow', makeBelow],
] as const)('%s', (_name, descend) => {
  // Fails when a part is looked at only once the parts before it are open, or not at all.
  test.each([[['..']], [['a', '..', '..', 'outside']], [['a/b']], [['.']], [['']], [['new', '../x']]])(
    'refuses %j before it opens or makes anything',
    async (parts) => {
      await using folder = await openVolume();
      await expect(descend(folder, parts)).rejects.toThrow();
      expect(readdirSync(at('volume')).sort()).toEqual(['a', 'file']);
    },
  );

  test('follows no link on the way, not even to the volume itself', async () => {
    symlinkSync(at('outside'), at('volume/out'));
    symlinkSync('a', at('volume/in'));
    await using folder = await openVolume();
    for (const parts of [['out'], ['out', 'secret'], ['in'], ['in', 'b'], ['file'], ['file', 'x']]) {
      expect([parts, await descend(folder, parts)]).toEqual([parts, undefined]);
    }
    expect(readdirSync(at('outside/secret'))).toEqual([]);
  });

  test('opens what is there, and leaves the folder it started from open', async () => {
    await using folder = await openVolume();
    await using below = await descend(folder, ['a', 'b']);
    await writeFile(below?.at('file') ?? '', 'text');
    expect(readdirSync(at('volume/a/b'))).toEqual(['file']);
    await using same = await descend(folder, []);
    expect((await same?.handle.stat())?.ino).toBe(statSync(at('volume')).ino);
    // Fails when the way down closes the folder it was given.
    expect((await folder.handle.stat()).isDirectory()).toBe(true);
  });
});

test('openBelow makes nothing', async () => {
  await using folder = await openVolume();
  expect(await openBelow(folder, ['a', 'missing', 'deep'])).toBeUndefined();
  expect(readdirSync(at('volume/a'))).toEqual(['b']);
});

describe('makeBelow', () => {
  // Fails when the mode is left to the umask: the services of the volume's group could not write there.
  test('makes folders for owner and group, and passes the setgid bit on', async () => {
    const before = process.umask(0o077);
    try {
      chmodSync(at('volume'), 0o2770);
      await using folder = await openVolume();
      await using made = await makeBelow(folder, ['x', 'y']);
      expect(made).toBeDefined();
    } finally {
      process.umask(before);
    }
    for (const name of ['volume/x', 'volume/x/y'])
      expect([name, statSync(at(name)).mode & 0o7777]).toEqual([name, 0o2770]);
  });

  // Fails when EEXIST is an error: of two uploads into one new folder, one would fail.
  test('two that make the same folder at once both get it', async () => {
    await using folder = await openVolume();
    const made = await Promise.all(Array.from({ length: 8 }, () => makeBelow(folder, ['new', 'deep'])));
    const inodes = await Promise.all(made.map(async (one) => (await one?.handle.stat())?.ino));
    expect(new Set(inodes)).toEqual(new Set([statSync(at('volume/new/deep')).ino]));
    for (const one of made) await one?.[Symbol.asyncDispose]();
  });
});

test('ensureFolders sets the modes of what it makes, and changes no folder that was there', async () => {
  mkdirSync(at('there'), { mode: 0o700 });
  expect(await ensureFolders(root, ['there', 'account', 'volume'], [0o711, 0o711, 0o2770])).toBe(
    at('there/account/volume'),
  );
  const modes = ['there', 'there/account', 'there/account/volume'].map((name) => statSync(at(name)).mode & 0o7777);
  expect(modes).toEqual([0o700, 0o711, 0o2770]);
});
