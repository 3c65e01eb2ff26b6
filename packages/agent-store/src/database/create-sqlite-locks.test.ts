import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createSilentLogger } from '@berth/kit';
import { afterAll, expect, test } from 'vitest';
import { describeLocks } from '../contract/describe-locks.ts';
import { createSqlStores } from '../sql/create-sql-stores.ts';
import { createSqliteLocks } from './create-sqlite-locks.ts';
import { openAgentSqlite } from './open-agent-sqlite.ts';

const folder = await mkdtemp(path.join(tmpdir(), 'agent-locks-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

describeLocks(async () => createSqlStores(await openAgentSqlite(folder, createSilentLogger())));

test('a lock that isn’t acquired in time throws, and its work has not run', async () => {
  const [patient, hasty] = [createSqliteLocks(folder), createSqliteLocks(folder, 50)];
  let isMine = false;
  await patient.alone('held', async () => {
    const waiting = hasty.alone('held', async () => {
      isMine = true;
    });
    await expect(waiting).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('Try again') });
  });
  expect(isMine).toBe(false);
});

test('the locks of a killed process are released', async () => {
  const locks = path.join(folder, 'locks');
  const module = path.join(import.meta.dirname, 'create-sqlite-locks.ts');
  const script = `const { createSqliteLocks } = await import(${JSON.stringify(module)});
    await createSqliteLocks(${JSON.stringify(locks)}).alone('k', () => {
      console.log('held');
      setInterval(() => {}, 1_000);
      return new Promise(() => {});
    });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  let isMine = false;
  const waiting = createSqliteLocks(locks).alone('k', async () => {
    isMine = true;
  });
  await new Promise(setImmediate);
  expect(isMine).toBe(false);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await waiting;
  expect(isMine).toBe(true);
});
