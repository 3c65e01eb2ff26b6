import { existsSync } from 'node:fs';
import { readdir, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import { copyEtc } from './copy-etc.ts';

test('certificates and names, no users, no secrets; copied again only when something changed', async () => {
  await using folder = await createTemporaryFolder();
  const etc = await copyEtc(folder.path);
  const names = await readdir(etc);
  for (const name of ['passwd', 'group', 'resolv.conf']) expect(names).toContain(name);
  for (const name of ['shadow', 'gshadow', 'sudoers', 'ssh', 'fstab']) expect(names).not.toContain(name);
  expect(existsSync(join(etc, 'ssl/private'))).toBe(false);
  expect((await stat(join(etc, 'passwd'))).size).toBe(0);

  await utimes(join(etc, 'group'), 1, 1);
  await copyEtc(folder.path);
  expect((await stat(join(etc, 'group'))).mtimeMs).toBe(1_000);
});
