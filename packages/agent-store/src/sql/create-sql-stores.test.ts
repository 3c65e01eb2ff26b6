import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createSilentLogger } from '@berth/kit';
import { afterAll } from 'vitest';
import { describeAgentStores } from '../contract/describe-agent-stores.ts';
import { openAgentSqlite } from '../database/open-agent-sqlite.ts';
import { createSqlStores } from './create-sql-stores.ts';

const folders: string[] = [];

afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

describeAgentStores('SQLite', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'agent-stores-'));
  folders.push(folder);
  return createSqlStores(await openAgentSqlite(path.join(folder, 'made', 'here'), createSilentLogger()));
});
