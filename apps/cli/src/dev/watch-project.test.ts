import { rmSync } from 'node:fs';
import { createFakeClock, type FakeClock } from '@berth/testkit';
import { beforeEach, expect, test } from 'vitest';
import { createTemporaryFolder, type TemporaryFolder } from '../testing/temporary-folder.ts';
import { watchProject } from './watch-project.ts';

/** How long changes are collected. */
const SETTLE_MS = 120;

let folder: TemporaryFolder;
let clock: FakeClock;
let changes: string[];
beforeEach(async () => {
  folder = await createTemporaryFolder();
  clock = createFakeClock();
  changes = [];
  return () => folder[Symbol.asyncDispose]();
});

const watch = () => watchProject(folder.path, (file) => changes.push(file), { clock });
/** Waits until a change has been seen; then it is being collected. */
const seen = () => expect.poll(() => clock.pending).toBe(1);

test('a change is told once its neighbors have come, and once for all of them', async () => {
  await folder.write({ 'a.js': '1' });
  await using _watcher = await watch();
  await folder.write({ 'a.js': '2' });
  await seen();
  clock.advance(SETTLE_MS - 1);
  // Fails when a change is told at once: an editor that saves three files would start the service three times.
  expect(changes).toEqual([]);
  clock.advance(1);
  expect(changes).toEqual(['a.js']);
  // A new folder and its file may be seen one after the other.
  const told = (file: string) =>
    expect
      .poll(() => {
        clock.advance(SETTLE_MS);
        return changes.at(-1);
      })
      .toBe(file);
  await folder.write({ 'sub/b.js': '1' });
  await told('sub/b.js');
  rmSync(`${folder.path}/a.js`);
  await told('a.js');
});

test('files that are there at the beginning are no change', async () => {
  await folder.write({ 'a.js': '1', 'sub/b.js': '1' });
  await using _watcher = await watch();
  await folder.write({ 'last.js': '1' });
  await seen();
  clock.advance(SETTLE_MS);
  // Fails when the first listing counts: the service would be started twice.
  expect(changes).toEqual(['last.js']);
});

test('what is not deployed is not watched', async () => {
  await folder.write({
    ...{ '.gitignore': '*.log\n/out/\n', '.berthignore': 'notes/\n!keep.log\n' },
    ...{ 'out/x': '', 'notes/n.md': '', 'node_modules/m/i.js': '', '.berth/dev/db': '', '__pycache__/a.pyc': '' },
  });
  await using _watcher = await watch();
  await folder.write({
    ...{ 'a.log': '1', 'out/x': '1', 'notes/n.md': '1', 'node_modules/m/i.js': '1' },
    ...{ '.berth/dev/db': '1', '.git/index': '1', '__pycache__/a.pyc': '1', '.a.js.swp': '1' },
  });
  await folder.write({ 'keep.log': '1' });
  await seen();
  clock.advance(SETTLE_MS);
  // Fails when an ignored path is watched: an agent that writes into .berth/dev would start itself again without end.
  expect(changes).toEqual(['keep.log']);
});

test('nothing is told once it is over', async () => {
  const watcher = await watch();
  await folder.write({ 'a.js': '1' });
  await seen();
  await watcher[Symbol.asyncDispose]();
  // Fails when the timer outlives the watcher: `berth dev` would start a service that no one stops.
  expect(clock.pending).toBe(0);
  clock.advance(SETTLE_MS);
  expect(changes).toEqual([]);
});
