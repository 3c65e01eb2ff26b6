import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createSqlStores, openAgentDatabase } from '@berth/agent-store/sql';
import { createSilentLogger } from '@berth/kit';
import { waitUntil } from '@berth/testkit';
import { expect, test } from 'vitest';

const MAIN = path.join(import.meta.dirname, 'testing', 'blocked-task-main.ts');
const WAIT_MS = 60_000;

// Fails when only the engine extends leases: they end while a handler blocks it, and another instance runs the task, too.
test('a task whose handler blocks its thread stays with its process, and ends there', async () => {
  const dataFolder = await mkdtemp(path.join(tmpdir(), 'agent-blocked-task-'));
  const child = spawn(process.execPath, [MAIN, dataFolder], { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(child, 'exit');
  try {
    await waitUntil('the handler blocks', () => existsSync(path.join(dataFolder, 'blocked')), WAIT_MS);
    const place = { dataFolder, url: undefined, agent: { name: 'helper', project: 'p' } };
    const database = await openAgentDatabase({ place, logger: createSilentLogger() });
    const stores = createSqlStores(database);
    const task = async () => (await stores.tasks.list({ all: true }, { limit: 1 }))[0];
    const leaseMs = async () =>
      (await database.db.selectFrom('tasks').select('lease_until').executeTakeFirst())?.lease_until ?? 0;
    const first = await leaseMs();
    await waitUntil('the lease is extended', async () => (await leaseMs()) > first, WAIT_MS);
    // What another instance asks when the lease of the claim has ended.
    expect(await stores.tasks.listExpired(['block'], first + 1, 1)).toEqual([]);
    writeFileSync(path.join(dataFolder, 'go'), '');
    await waitUntil('the task has ended', async () => (await task())?.status === 'succeeded', WAIT_MS);
    expect(await task()).toMatchObject({ attempt: 1, failures: 0, result: '"done"' });
    await stores.close();
  } finally {
    child.kill('SIGKILL');
    await ended;
    await rm(dataFolder, { recursive: true, force: true });
  }
}, 180_000);
