import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Timer } from '@berth/kit';
import type { FolderArtifact } from '@berth/runtime';
import { expect, test } from 'vitest';
import { createPrivateFolder } from '../launch/private-folder.ts';
import { eventually } from '../testing/eventually.ts';
import { logger, clock as systemClock } from '../testing/machine.ts';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import { createSlots } from './slots.ts';

/** A clock whose timers fire when they are told to. */
function createManualClock() {
  const due = new Set<() => void>();
  return {
    clock: {
      ...systemClock,
      setTimer(_delayMs: number, callback: () => void): Timer {
        due.add(callback);
        return { cancel: () => due.delete(callback) };
      },
    },
    fire(): void {
      for (const callback of [...due]) {
        due.delete(callback);
        callback();
      }
    },
  };
}

async function createFixture(maxCopyBytes = 1_000) {
  const folder = await createTemporaryFolder();
  const made: string[] = [];
  const confinement = {
    async createPrivateFolder(name: string) {
      const path = join(folder.path, name);
      await createPrivateFolder(path, undefined, undefined);
      made.push(path);
      return path;
    },
  };
  const { clock, fire } = createManualClock();
  const slots = createSlots({ confinement, maxCopyBytes, clock, logger });
  const makeArtifact = async (name: string): Promise<FolderArtifact> => {
    const path = join(folder.path, `artifact-${name}`);
    await mkdir(path);
    await writeFile(join(path, 'main.js'), name);
    return { kind: 'folder', path, command: [], env: {}, sharedFolders: [] };
  };
  return { folder, made, slots, fire, makeArtifact };
}

test('each start has a folder of its own; the next is made ahead of need', async () => {
  const { folder, made, slots, fire, makeArtifact } = await createFixture();
  await using _ = folder;
  const artifact = await makeArtifact('a');
  const first = await slots.take(artifact, undefined);
  expect(first).toMatchObject({ isCopy: true, sizeBytes: 1, workingFolder: join(first.folder, 'app') });
  expect(made).toHaveLength(1);
  fire();
  await eventually('another is made', () => made.length === 2 && existsSync(join(made[1] ?? '', 'app/main.js')));
  const second = await slots.take(artifact, undefined);
  expect(second.folder).toBe(made[1]);
  expect(made).toHaveLength(2);
  await slots.discard(first);
  expect(existsSync(first.folder)).toBe(false);
});

test('what was prepared goes with its artifact, its owner, and at the end', async () => {
  const { folder, made, slots, fire, makeArtifact } = await createFixture();
  await using _ = folder;
  const [a, b, c] = [await makeArtifact('a'), await makeArtifact('b'), await makeArtifact('c')];
  for (const artifact of [a, b]) await slots.take(artifact, undefined);
  fire();
  await eventually('both are prepared', () => made.length === 4);
  await rm(a.path, { recursive: true });
  await slots.take(c, undefined);
  fire();
  await eventually('that of the removed artifact is gone', () => made.filter((path) => existsSync(path)).length === 5);
  await slots.drop((path) => path === b.path);
  await eventually('that of the dropped one, too', () => made.filter((path) => existsSync(path)).length === 4);
  await slots.close();
  expect(made.filter((path) => existsSync(path))).toHaveLength(3);
});

test('an artifact that is too large is not copied, and not tried again', async () => {
  const { folder, slots, makeArtifact } = await createFixture(0);
  await using _ = folder;
  const artifact = await makeArtifact('a');
  for (const slot of [await slots.take(artifact, undefined), await slots.take(artifact, undefined)]) {
    expect(slot).toMatchObject({ isCopy: false, workingFolder: artifact.path });
    expect(existsSync(join(slot.folder, 'app'))).toBe(false);
  }
  await slots.close();
});
