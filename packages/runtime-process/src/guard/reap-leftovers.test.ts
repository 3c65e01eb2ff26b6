import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readProcess } from '@berth/runtime/drivers';
import { expect, test } from 'vitest';
import { clock } from '../testing/machine.ts';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import { reapLeftovers } from './reap-leftovers.ts';
import { openRunningRecords } from './running-record.ts';
import { isLastServer, takeServerToken } from './server-token.ts';

async function startSleeper(env: NodeJS.ProcessEnv = {}): Promise<ChildProcess & AsyncDisposable> {
  const child = spawn('/bin/sleep', ['60'], { detached: true, stdio: 'ignore', env });
  await once(child, 'spawn');
  return Object.assign(child, { [Symbol.asyncDispose]: async () => void child.kill('SIGKILL') });
}

test('ends what is recorded and nothing else, and takes the records away', async () => {
  await using folder = await createTemporaryFolder();
  await using byLeader = await startSleeper();
  await using byFolder = await startSleeper({ TMPDIR: `${folder.path}/run/tmp` });
  await using reused = await startSleeper();
  const records = openRunningRecords(join(folder.path, 'running'));
  const none = join(folder.path, 'none');
  const trace = { folder: none, cgroupFolders: [] };
  const leaderOf = (child: ChildProcess) => readProcess(child.pid ?? 0) ?? { pid: 0, startTicks: 0 };
  records.write('one', { ...trace, leader: leaderOf(byLeader) });
  records.write('two', { ...trace, folder: join(folder.path, 'run') });
  records.write('three', { ...trace, leader: { ...leaderOf(reused), startTicks: 1 } });
  const exits = Promise.all([once(byLeader, 'exit'), once(byFolder, 'exit')]);
  expect(await reapLeftovers({ records, userIds: new Set(), isMine: () => true }, clock)).toBe(2);
  expect(await exits).toEqual([
    [null, 'SIGKILL'],
    [null, 'SIGKILL'],
  ]);
  expect(readProcess(reused.pid ?? 0)?.state).not.toBe('Z');
  expect(await readdir(join(folder.path, 'running'))).toEqual([]);
});

test('leaves everything to a server that was started since', async () => {
  await using folder = await createTemporaryFolder();
  await using sleeper = await startSleeper({ TMPDIR: `${folder.path}/run/tmp` });
  const records = openRunningRecords(join(folder.path, 'running'));
  records.write('one', { folder: join(folder.path, 'run'), cgroupFolders: [] });
  const earlier = takeServerToken(join(folder.path, 'server'));
  expect(isLastServer(earlier)).toBe(true);
  takeServerToken(join(folder.path, 'server'));
  const isMine = () => isLastServer(earlier);
  expect(await reapLeftovers({ records, userIds: new Set(), isMine }, clock)).toBe(0);
  expect(readProcess(sleeper.pid ?? 0)?.state).toMatch(/[SRD]/);
  expect(records.read()).toHaveLength(1);
});
