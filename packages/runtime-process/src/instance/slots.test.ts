import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FolderArtifact } from '@berth/runtime';
import { expect, test } from 'vitest';
import { createPrivateFolder } from '../launch/private-folder.ts';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import { createSlots } from './slots.ts';

async function createFixture(maxCopyBytes: number) {
  const folder = await createTemporaryFolder();
  const confinement = {
    async createPrivateFolder(name: string) {
      const path = join(folder.path, name);
      await createPrivateFolder(path, undefined, undefined);
      return path;
    },
  };
  const path = join(folder.path, 'artifact');
  await mkdir(path);
  await writeFile(join(path, 'main.js'), 'x');
  const artifact: FolderArtifact = { kind: 'folder', path, command: [], env: {}, sharedFolders: [] };
  return { folder, artifact, slots: createSlots(confinement, maxCopyBytes) };
}

test('each has a copy of its own', async () => {
  const { folder, artifact, slots } = await createFixture(1_000);
  await using _ = folder;
  const [first, second] = [await slots.make(artifact, undefined), await slots.make(artifact, undefined)];
  expect(first).toMatchObject({ isCopy: true, sizeBytes: 1, workingFolder: join(first.folder, 'app') });
  expect(first.folder).not.toBe(second.folder);
  for (const slot of [first, second]) expect(existsSync(join(slot.workingFolder, 'main.js'))).toBe(true);
  await slots.discard(first);
  await slots.discard(first);
  expect([existsSync(first.folder), existsSync(second.folder)]).toEqual([false, true]);
});

test('an artifact that is too large is not copied, and not tried again', async () => {
  const { folder, artifact, slots } = await createFixture(0);
  await using _ = folder;
  for (const slot of [await slots.make(artifact, undefined), await slots.make(artifact, undefined)]) {
    expect(slot).toMatchObject({ isCopy: false, workingFolder: artifact.path });
    expect(existsSync(join(slot.folder, 'app'))).toBe(false);
  }
});

test('an artifact that is not there leaves nothing', async () => {
  const { folder, artifact, slots } = await createFixture(1_000);
  await using _ = folder;
  await expect(slots.make({ ...artifact, path: join(folder.path, 'none') }, undefined)).rejects.toThrow('ENOENT');
  expect(existsSync(artifact.path)).toBe(true);
});
