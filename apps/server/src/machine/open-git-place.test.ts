import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createGit } from '@berth/git';
import { createIdSource, createSilentLogger, createSystemClock } from '@berth/kit';
import { expect, test } from 'vitest';
import { readConfig } from '../config/read-config.ts';
import { createShutdown } from '../context/shutdown.ts';
import { createLazySandbox } from './lazy-sandbox.ts';
import { openGitPlace } from './open-git-place.ts';

test('Git runs in a sandbox that sees nothing of the data folder, on a machine whose services are containers', async () => {
  using folder = mkdtempDisposableSync(path.join(tmpdir(), 'berth-git-place-'));
  const secret = path.join(folder.path, 'master.key');
  writeFileSync(secret, 'secret of the platform', { mode: 0o644 });
  const logger = createSilentLogger();
  const shutdown = createShutdown(logger);
  const [clock, ids, environment] = [createSystemClock(), createIdSource(), { PATH: process.env['PATH'] }];
  const read = readConfig({ flags: { data: folder.path }, environment, workingFolder: folder.path });
  if ('faults' in read) throw new Error(read.faults.join());
  const { config } = read;
  try {
    const place = await openGitPlace({ ...{ config, environment, clock, ids, logger, shutdown }, version: '0' });
    const git = createGit({ sandbox: place.sandbox, workFolder: path.join(place.workRoot, 'git') });
    await git.requireProgram();
    const owner = { account: 'acc_1', deployment: 'shop' };
    await using repository = await git.openRepository(owner);
    const [first] = await repository.run(['version']);
    expect(first).toMatch(/^git version /);
    await expect(repository.run(['hash-object', '--no-filters', secret])).rejects.toThrow('Git refused');
  } finally {
    await shutdown.run();
  }
});

test('a machine without a sandbox finds no program, and one that failed is opened again', async () => {
  expect(await createLazySandbox(async () => undefined).findProgram('git')).toBeUndefined();
  let attempts = 0;
  const sandbox = createLazySandbox(async () => {
    if (++attempts === 1) throw new Error('busy');
    return undefined;
  });
  await expect(sandbox.findProgram('git')).rejects.toThrow('busy');
  expect(await sandbox.findProgram('git')).toBeUndefined();
});
