import { cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createBerth } from '../harness/berth.ts';
import { askAll, deployEveryKind } from '../harness/every-kind.ts';
import { needs } from '../harness/needs.ts';
import { needsProcesses } from '../harness/runtime.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'berth-moves-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// Fails when artifacts are not adopted: the virtual environment then names an interpreter that is gone, or that is the original's.
// Fails when a copy keeps the runtime's state: its start ends the services of the original.
it('a data folder that is copied and moved serves all of its services, and uses nothing of the original', {
  timeout: 180_000,
}, async (context) => {
  needsProcesses(context, 'images are not in the data folder');
  await needs(context, 'python', 'pypi');
  await using original = createBerth({ hasGeneratedKey: true, dataFolder: path.join(folder, 'original') });
  await original.start();
  const services = await deployEveryKind(original);
  await original.stop();
  const copied = path.join(folder, 'original-copy');
  cpSync(original.dataFolder, copied, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });

  await original.start();
  expect(await askAll(original, services)).toEqual(services);
  await using copy = createBerth({ hasGeneratedKey: true, dataFolder: copied });
  await copy.start();
  const instancesOf = () => readdirSync(path.join(original.dataFolder, 'work/run'));
  const running = instancesOf();
  expect(await askAll(copy, services)).toEqual(services);
  expect(await askAll(original, services)).toEqual(services);
  expect(instancesOf()).toEqual(running);
  await Promise.all([original.stop(), copy.stop()]);

  rmSync(path.join(original.dataFolder, 'work'), { recursive: true });
  await copy.start();
  expect(await askAll(copy, services)).toEqual(services);
  await copy.stop();

  const moved = path.join(folder, 'deeper/moved');
  mkdirSync(path.dirname(moved));
  renameSync(copied, moved);
  await using mover = createBerth({ hasGeneratedKey: true, dataFolder: moved });
  await mover.start();
  expect(await askAll(mover, services)).toEqual(services);
});
