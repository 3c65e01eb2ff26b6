import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openMount, toHostMount } from './open-mount.ts';

// Fails when the real path isn't compared (the second), and when openFolder follows symlinks (the first).
test('a folder is opened, and neither a symlink, nor a way through one, nor a file', async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'berth-mount-')));
  await mkdir(join(root, 'real/inner'), { recursive: true });
  await symlink(join(root, 'real'), join(root, 'link'));
  await writeFile(join(root, 'file'), '');
  const open = (name: string) =>
    openMount(toHostMount(root, { volume: name, subPath: '', target: '/data', isReadOnly: false }));
  {
    await using folder = await open('real/inner');
    expect((await folder.stat()).isDirectory()).toBe(true);
  }
  const why = (text: string) => ({
    code: 'start_failed',
    message: `The volume for /data can't be mounted: ${text}.`,
  });
  await expect(open('link')).rejects.toMatchObject(why('its folder does not exist or is a symlink'));
  await expect(open('link/inner')).rejects.toMatchObject(why('the path to its folder contains a symlink'));
  await expect(open('file')).rejects.toMatchObject(why('its folder does not exist or is a symlink'));
  await expect(open('missing')).rejects.toMatchObject(why('its folder does not exist or is a symlink'));
  await rm(root, { recursive: true });
});
