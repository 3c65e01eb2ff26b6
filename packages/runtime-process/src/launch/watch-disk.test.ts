import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import { measureDisk } from './watch-disk.ts';

test('what is below, not what links lead to, and no more than it takes to know', async () => {
  await using folder = await createTemporaryFolder();
  const [inner, outer] = [join(folder.path, 'inner'), join(folder.path, 'outer')];
  for (const path of [join(inner, 'deep'), outer]) await mkdir(path, { recursive: true });
  await writeFile(join(inner, 'deep/one'), Buffer.alloc(100_000, 1));
  await writeFile(join(outer, 'big'), Buffer.alloc(1_000_000, 1));
  await symlink(outer, join(inner, 'link'));
  const bytes = await measureDisk(inner);
  expect(bytes).toBeGreaterThanOrEqual(100_000);
  expect(bytes).toBeLessThan(200_000);
  expect(await measureDisk(folder.path, 10_000)).toBeGreaterThan(10_000);
  expect(await measureDisk(join(folder.path, 'missing'))).toBe(0);
});
