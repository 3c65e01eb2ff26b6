import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import { canEnter, canReach } from './can-reach.ts';

test('every folder on the way counts, and the thing itself', async () => {
  await using folder = await createTemporaryFolder();
  const inner = join(folder.path, 'a/b');
  const file = join(inner, 'file');
  await mkdir(inner, { recursive: true });
  await writeFile(file, '');
  for (const path of [folder.path, join(folder.path, 'a'), inner]) await chmod(path, 0o711);
  await chmod(file, 0o644);
  expect(canReach(file, undefined)).toBe(true);
  expect(canEnter(inner, undefined)).toBe(true);
  // To pass is not to list.
  expect(canReach(inner, undefined)).toBe(false);
  await chmod(file, 0o640);
  expect(canReach(file, undefined)).toBe(false);
  await chmod(file, 0o644);
  await chmod(join(folder.path, 'a'), 0o700);
  expect(canReach(file, undefined)).toBe(false);
  expect(canEnter(inner, undefined)).toBe(false);
  expect(canReach(join(inner, 'missing'), undefined)).toBe(false);
});

test('the bits of the first that fits decide: owner, groups, others', async () => {
  await using folder = await createTemporaryFolder();
  await chmod(folder.path, 0o711);
  const file = join(folder.path, 'file');
  await writeFile(file, '');
  const uid = process.getuid?.() ?? 0;
  const gid = process.getgid?.() ?? 0;
  const stranger = { uid: uid + 1, gid: gid + 1, accountGid: gid + 2 };
  await chmod(file, 0o640);
  expect(canReach(file, { ...stranger, accountGid: gid })).toBe(true);
  expect(canReach(file, stranger)).toBe(false);
  await chmod(file, 0o044);
  expect(canReach(file, { ...stranger, uid })).toBe(false);
});
