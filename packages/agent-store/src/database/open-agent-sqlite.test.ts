import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createSilentLogger } from '@berth/kit';
import { openSqlite } from '@berth/sqlite';
import { afterAll, expect, test } from 'vitest';
import type { OwnerKey } from '../ports/owner-key.ts';
import { createSqlStores } from '../sql/create-sql-stores.ts';
import { agentMigrations } from './migrations.ts';
import { openAgentSqlite } from './open-agent-sqlite.ts';
import type { AgentSchema } from './schema.ts';

const logger = createSilentLogger();
const root = mkdtempSync(path.join(tmpdir(), 'agent-sqlite-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const ANN = 'ann' as OwnerKey;

// Fails when the error of mkdir is passed on as it is.
test('a folder that cannot be made is reported with what to set', async () => {
  const file = path.join(root, 'file');
  writeFileSync(file, '');
  const opening = openAgentSqlite(path.join(file, '.db'), logger);
  await expect(opening).rejects.toMatchObject({ code: 'unavailable' });
  await expect(opening).rejects.toThrow(
    `The folder ${file}/.db can't be made (ENOTDIR). Deploy the agent with a volume`,
  );
});

// Fails when migrations 4 or 6 are left out, or add columns that must not be null.
test('rows of an older schema are kept, with nothing in the columns that are new', async () => {
  const folder = path.join(root, 'old');
  mkdirSync(folder);
  const older = await openSqlite<AgentSchema>({
    file: path.join(folder, 'agent.sqlite'),
    migrations: agentMigrations('sqlite').slice(0, 3),
    logger,
  });
  const approval = {
    owner: ANN,
    key: 'k',
    chat_id: 'c1',
    call_id: 'call',
    label: 'Delete',
    args: '{}',
    decision: null,
  };
  await older.db
    .insertInto('approvals')
    .values({ ...approval, tool: 'delete', definition_hash: 'h', expires_at: 10 })
    .execute();
  await older.db.insertInto('tool_modes').values({ owner: ANN, tool: 'delete', mode: 'never' }).execute();
  await older.close();

  const stores = createSqlStores(await openAgentSqlite(folder, logger));
  expect(await stores.settings.toolModes(ANN)).toEqual({ delete: 'never' });
  expect(await stores.settings.toolDefinitions(ANN)).toEqual({});
  const waiting = await stores.approvals.listWaiting(ANN, 'c1', 0);
  expect(waiting.map(({ key, settingKey }) => [key, settingKey])).toEqual([['k', undefined]]);
  expect(await stores.connectorLists.find(ANN, 'crm')).toBeUndefined();
  await stores.close();
});
