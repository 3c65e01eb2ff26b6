import { chmod, chown, link, lstat, mkdir, open, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { shareWithGroup } from '@berth/runtime/files';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import { giveTree, sealedMode, sealTree } from './ownership.ts';

const isRoot = process.getuid?.() === 0;
const IDENTITY = { uid: 700_001, gid: 700_001, accountGid: 700_000 };

test('a sealed mode gives the group what the owner had, without writing, and nobody a way to write', () => {
  fc.assert(
    fc.property(fc.nat(0o7777), (mode) => {
      const sealed = sealedMode(mode);
      expect(sealed & 0o7022).toBe(0);
      expect(sealed & 0o700).toBe(mode & 0o700);
      expect((sealed >> 3) & (mode >> 6) & 0o5).toBe((mode >> 6) & 0o5);
    }),
  );
});

describe.skipIf(!isRoot)('ownership (skipped unless root runs the tests)', () => {
  const owner = async (path: string): Promise<number[]> => {
    const { uid, gid, mode } = await lstat(path);
    return [uid, gid, mode & 0o7777];
  };

  test('giving and sealing reach everything below', async () => {
    await using folder = await createTemporaryFolder();
    const tree = join(folder.path, 'tree');
    await mkdir(join(tree, 'a/b'), { recursive: true });
    await writeFile(join(tree, 'a/b/file'), '');
    await chmod(join(tree, 'a/b/file'), 0o4777);
    await giveTree(tree, IDENTITY);
    for (const name of ['', 'a', 'a/b', 'a/b/file'])
      expect((await owner(join(tree, name))).slice(0, 2)).toEqual([700_001, 700_001]);
    await sealTree(tree, IDENTITY);
    expect(await owner(tree)).toEqual([0, 700_001, 0o750]);
    expect(await owner(join(tree, 'a/b/file'))).toEqual([0, 700_001, 0o755]);
  });

  test("a file that is somebody else's too is not given away", async () => {
    await using folder = await createTemporaryFolder();
    await writeFile(join(folder.path, 'secret'), 'x', { mode: 0o600 });
    await mkdir(join(folder.path, 'tree'));
    await link(join(folder.path, 'secret'), join(folder.path, 'tree/name'));
    await writeFile(join(folder.path, 'tree/foreign'), '');
    await chown(join(folder.path, 'tree/foreign'), 700_099, 700_099);
    await giveTree(join(folder.path, 'tree'), IDENTITY);
    expect(await owner(join(folder.path, 'secret'))).toEqual([0, 0, 0o600]);
    expect((await owner(join(folder.path, 'tree/foreign')))[0]).toBe(700_099);
  });

  test('a folder that is swapped for a symlink meanwhile is not left through it', async () => {
    await using folder = await createTemporaryFolder();
    const outside = join(folder.path, 'outside');
    await mkdir(join(outside, 'inner'), { recursive: true });
    await writeFile(join(outside, 'inner/file'), '', { mode: 0o600 });
    const tree = join(folder.path, 'tree');
    for (let round = 0; round < 20; round++) {
      const victim = join(tree, `folder-${round}`);
      await mkdir(join(victim, 'inner'), { recursive: true });
      await writeFile(join(victim, 'inner/file'), '');
      const giving = giveTree(tree, IDENTITY);
      await rename(victim, join(folder.path, `moved-${round}`));
      await symlink(outside, victim);
      await giving;
    }
    expect((await owner(outside)).slice(0, 2)).toEqual([0, 0]);
    expect(await owner(join(outside, 'inner/file'))).toEqual([0, 0, 0o600]);
  });

  test("a volume becomes the account's, once", async () => {
    await using folder = await createTemporaryFolder();
    const share = async (): Promise<void> => {
      await using handle = await open(folder.path, 'r');
      await shareWithGroup(handle, folder.path, IDENTITY.accountGid);
    };
    await mkdir(join(folder.path, 'sub'));
    await writeFile(join(folder.path, 'sub/file'), '', { mode: 0o600 });
    await share();
    expect((await owner(folder.path)).slice(1)).toEqual([700_000, 0o2770]);
    expect(await owner(join(folder.path, 'sub/file'))).toEqual([0, 700_000, 0o660]);
    await chmod(join(folder.path, 'sub/file'), 0o600);
    await share();
    expect((await owner(join(folder.path, 'sub/file')))[2]).toBe(0o600);
  });
});
