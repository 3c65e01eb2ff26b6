import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { WorkspacePath } from '@berth/agent-core';
import { describe, expect, it } from 'vitest';
import { ANN, createFilesFixture, type FilesFixture } from './testing/create-files-fixture.ts';
import { ownerFolderName } from './workspace-folder.ts';

const batchesOf = (fixture: FilesFixture) => path.join(fixture.dataFolder, '.batches', ownerFolderName(ANN));

/** What a process leaves that is killed while it places `a.txt` and `b/c.txt`, after `placed` of them. */
async function leaveBatch(fixture: FilesFixture, placed: number): Promise<void> {
  // Before it is left: what is stored later finds it.
  if (placed === 1) await fixture.put('a.txt', 'new a');
  const folder = path.join(batchesOf(fixture), 'f00d');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'plan.json'), JSON.stringify({ owner: ANN, paths: ['a.txt', 'b/c.txt'] }));
  if (placed === 0) await writeFile(path.join(folder, '0.new'), 'new a');
  await writeFile(path.join(folder, '1.new'), 'new c');
}
const isNothingLeft = async (fixture: FilesFixture) =>
  (await readdir(path.join(fixture.dataFolder, '.batches')).catch(() => [])).length === 0;

describe('a batch of a killed process', () => {
  it.each([0, 1])('is gone on with at the next start, with %i files placed', async (placed) => {
    await using fixture = await createFilesFixture();
    await fixture.put('a.txt', 'old');
    await leaveBatch(fixture, placed);
    await fixture.reopen();
    expect([await fixture.text('a.txt'), await fixture.text('b/c.txt')]).toEqual(['new a', 'new c']);
    expect(await isNothingLeft(fixture)).toBe(true);
  });

  it('is gone on with by another instance before anything else changes, so that it replaces nothing newer', async () => {
    await using fixture = await createFilesFixture();
    await leaveBatch(fixture, 0);
    await fixture.put('a.txt', 'newer');
    expect([await fixture.text('a.txt'), await fixture.text('b/c.txt')]).toEqual(['newer', 'new c']);
    await fixture.reopen();
    expect(await fixture.text('a.txt')).toBe('newer');
    expect(await isNothingLeft(fixture)).toBe(true);
  });

  it('has to wait for who is at work on the same files', async () => {
    await using fixture = await createFilesFixture();
    await fixture.put('a.txt', 'old');
    const gate = Promise.withResolvers<void>();
    const working = fixture.stores.locks.alone(`files:${ANN}`, async () => {
      await leaveBatch(fixture, 0);
      await gate.promise;
    });
    const opening = fixture.reopen();
    expect(await fixture.text('a.txt')).toBe('old');
    gate.resolve();
    await Promise.all([working, opening]);
    // Opened a moment before the batch was there, it is gone on with at the next change.
    await fixture.files.makeFolder(ANN, 'next' as WorkspacePath);
    expect(await fixture.text('a.txt')).toBe('new a');
  });

  it('leaves out what has no place any more, and keeps nobody from working', async () => {
    await using fixture = await createFilesFixture();
    await fixture.files.makeFolder(ANN, 'a.txt' as WorkspacePath);
    await leaveBatch(fixture, 0);
    await fixture.reopen();
    expect(await fixture.paths()).toEqual(['a.txt/', 'b/', 'b/c.txt']);
    expect(await isNothingLeft(fixture)).toBe(true);
    await fixture.put('next.txt', 'next');
  });

  it('without a plan was not begun, and goes with the next change', async () => {
    await using fixture = await createFilesFixture();
    await mkdir(path.join(batchesOf(fixture), 'f00d'), { recursive: true });
    await writeFile(path.join(batchesOf(fixture), 'f00d', '0.new'), 'half');
    await fixture.reopen();
    expect(await fixture.paths()).toEqual([]);
    await fixture.put('a.txt', 'a');
    expect(await fixture.paths()).toEqual(['a.txt']);
    expect(await isNothingLeft(fixture)).toBe(true);
  });
});
