import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { WorkspacePath } from '@berth/agent-core';
import { describe, expect, it } from 'vitest';
import { ANN, createFilesWorld, type FilesWorld } from './testing/create-files-world.ts';
import { ownerFolderName } from './workspace-folder.ts';

const batchesOf = (world: FilesWorld) => path.join(world.dataFolder, '.batches', ownerFolderName(ANN));

/** What a process leaves that is killed while it places `a.txt` and `b/c.txt`, after `placed` of them. */
async function leaveBatch(world: FilesWorld, placed: number): Promise<void> {
  // Before it is left: what is stored later finds it.
  if (placed === 1) await world.put('a.txt', 'new a');
  const folder = path.join(batchesOf(world), 'f00d');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'plan.json'), JSON.stringify({ owner: ANN, paths: ['a.txt', 'b/c.txt'] }));
  if (placed === 0) await writeFile(path.join(folder, '0.new'), 'new a');
  await writeFile(path.join(folder, '1.new'), 'new c');
}
const isNothingLeft = async (world: FilesWorld) =>
  (await readdir(path.join(world.dataFolder, '.batches')).catch(() => [])).length === 0;

describe('a batch of a killed process', () => {
  it.each([0, 1])('is gone on with at the next start, with %i files placed', async (placed) => {
    await using world = await createFilesWorld();
    await world.put('a.txt', 'old');
    await leaveBatch(world, placed);
    await world.reopen();
    expect([await world.text('a.txt'), await world.text('b/c.txt')]).toEqual(['new a', 'new c']);
    expect(await isNothingLeft(world)).toBe(true);
  });

  it('is gone on with by another instance before anything else changes, so that it replaces nothing newer', async () => {
    await using world = await createFilesWorld();
    await leaveBatch(world, 0);
    await world.put('a.txt', 'newer');
    expect([await world.text('a.txt'), await world.text('b/c.txt')]).toEqual(['newer', 'new c']);
    await world.reopen();
    expect(await world.text('a.txt')).toBe('newer');
    expect(await isNothingLeft(world)).toBe(true);
  });

  it('has to wait for who is at work on the same files', async () => {
    await using world = await createFilesWorld();
    await world.put('a.txt', 'old');
    const gate = Promise.withResolvers<void>();
    const working = world.stores.locks.alone(`files:${ANN}`, async () => {
      await leaveBatch(world, 0);
      await gate.promise;
    });
    const opening = world.reopen();
    expect(await world.text('a.txt')).toBe('old');
    gate.resolve();
    await Promise.all([working, opening]);
    // Opened a moment before the batch was there, it is gone on with at the next change.
    await world.files.makeFolder(ANN, 'next' as WorkspacePath);
    expect(await world.text('a.txt')).toBe('new a');
  });

  it('leaves out what has no place any more, and keeps nobody from working', async () => {
    await using world = await createFilesWorld();
    await world.files.makeFolder(ANN, 'a.txt' as WorkspacePath);
    await leaveBatch(world, 0);
    await world.reopen();
    expect(await world.paths()).toEqual(['a.txt/', 'b/', 'b/c.txt']);
    expect(await isNothingLeft(world)).toBe(true);
    await world.put('next.txt', 'next');
  });

  it('without a plan was not begun, and goes with the next change', async () => {
    await using world = await createFilesWorld();
    await mkdir(path.join(batchesOf(world), 'f00d'), { recursive: true });
    await writeFile(path.join(batchesOf(world), 'f00d', '0.new'), 'half');
    await world.reopen();
    expect(await world.paths()).toEqual([]);
    await world.put('a.txt', 'a');
    expect(await world.paths()).toEqual(['a.txt']);
    expect(await isNothingLeft(world)).toBe(true);
  });
});
