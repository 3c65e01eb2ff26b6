import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { waitUntil } from '@berth/testkit';
import { describe, expect, it } from 'vitest';
import { ANN, createFilesWorld, type FilesWorld } from './testing/create-files-world.ts';

/** What a process leaves that is killed while it places `a.txt` and `b/c.txt`, after `placed` of them. */
async function leaveBatch(world: FilesWorld, placed: number, ageSeconds: number): Promise<string> {
  const folder = path.join(world.dataFolder, '.incoming', 'f00d');
  await mkdir(folder);
  await writeFile(path.join(folder, 'plan.json'), JSON.stringify({ owner: ANN, paths: ['a.txt', 'b/c.txt'] }));
  if (placed === 0) await writeFile(path.join(folder, '0.new'), 'new a');
  else await world.put('a.txt', 'new a');
  await writeFile(path.join(folder, '1.new'), 'new c');
  const seconds = world.clock.nowMs() / 1_000 - ageSeconds;
  await utimes(folder, seconds, seconds);
  return folder;
}

describe('a batch of a killed process', () => {
  it.each([0, 1])('is gone on with at the next start, with %i files placed', async (placed) => {
    await using world = await createFilesWorld();
    await world.put('a.txt', 'old');
    await leaveBatch(world, placed, 60);
    await world.reopen();
    expect([await world.text('a.txt'), await world.text('b/c.txt')]).toEqual(['new a', 'new c']);
    expect(await readdir(path.join(world.dataFolder, '.incoming'))).toEqual([]);
  });

  it('is left alone while another instance may be at it, and gone on with then', async () => {
    await using world = await createFilesWorld();
    await world.put('a.txt', 'old');
    const folder = await leaveBatch(world, 0, 0);
    await world.reopen();
    expect(await world.text('a.txt')).toBe('old');
    const seconds = world.clock.nowMs() / 1_000;
    await utimes(folder, seconds, seconds);
    world.clock.advance(11_000);
    await waitUntil('the batch is placed', async () => (await world.text('b/c.txt')) === 'new c');
  });

  it('without a plan was not begun, and goes in time', async () => {
    await using world = await createFilesWorld();
    const folder = path.join(world.dataFolder, '.incoming', 'f00d');
    await mkdir(folder);
    await writeFile(path.join(folder, '0.new'), 'half');
    await world.reopen();
    expect(await readdir(path.dirname(folder))).toEqual(['f00d']);
    const seconds = world.clock.nowMs() / 1_000 - 2 * 3_600;
    await utimes(folder, seconds, seconds);
    await world.reopen();
    expect(await readdir(path.dirname(folder))).toEqual([]);
    expect(await world.paths()).toEqual([]);
  });
});
