import { link, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createDiskMeter } from './disk-meter.ts';

const FILE_BYTES = 2 ** 20;

/**
 * Creates two trees: `kept` and `cache` share a file; `cache` also has its own file, and a link to a large file
 * elsewhere.
 */
async function makeTrees() {
  const root = await mkdtemp(join(tmpdir(), 'berth-meter-'));
  onTestFinished(() => rm(root, { recursive: true }));
  for (const name of ['kept', 'cache', 'elsewhere']) await mkdir(join(root, name));
  await writeFile(join(root, 'kept/shared'), Buffer.alloc(FILE_BYTES, 1));
  await link(join(root, 'kept/shared'), join(root, 'cache/shared'));
  await writeFile(join(root, 'cache/own'), Buffer.alloc(FILE_BYTES, 1));
  await writeFile(join(root, 'elsewhere/large'), Buffer.alloc(8 * FILE_BYTES, 1));
  await symlink(join(root, 'elsewhere'), join(root, 'cache/link'));
  return root;
}

const files = (bytes: number) => Math.round(bytes / FILE_BYTES);

// Fails when every name of a file counts, and when links are followed (`stat` instead of `lstat`).
test('counts a hard-linked file once, and nothing behind a symlink', async () => {
  const root = await makeTrees();
  const meter = createDiskMeter();
  expect(files(await meter.add(join(root, 'kept')))).toBe(1);
  expect(files(await meter.add(join(root, 'cache')))).toBe(1);
  expect(await meter.add(join(root, 'missing'))).toBe(0);
});

// Fails when a file counts as freed with its first name.
test('freeable bytes exclude files with hard links elsewhere', async () => {
  const root = await makeTrees();
  const meter = createDiskMeter();
  await meter.add(join(root, 'cache'));
  expect(files(meter.freeableBytes)).toBe(1);
  await meter.add(join(root, 'kept'));
  expect(files(meter.freeableBytes)).toBe(2);
});
