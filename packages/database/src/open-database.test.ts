import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BerthError } from '@berth/kit';
import { isUniqueViolation } from '@berth/sqlite';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type OpenDatabase, openDatabase } from './open-database.ts';

let folder: string;
const opened: OpenDatabase[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'berth-database-'));
});

afterEach(async () => {
  for (const database of opened.splice(0)) await database.close();
  rmSync(folder, { recursive: true });
});

const file = () => path.join(folder, 'berth.db');

async function open(): Promise<OpenDatabase['db']> {
  const database = await openDatabase({ file: file() });
  opened.push(database);
  return database.db;
}

const account = (id: string) => ({ id, name: `name-${id}`, plan: 'p', is_operator: 0, created_at: 1_795_253_236_017 });

test('a commit survives the end of the process by SIGKILL', async () => {
  const script = path.join(folder, 'writer.ts');
  writeFileSync(
    script,
    `import { openDatabase } from ${JSON.stringify(path.join(import.meta.dirname, 'open-database.ts'))};
     const { db } = await openDatabase({ file: ${JSON.stringify(file())} });
     await db.insertInto('accounts').values(${JSON.stringify(account('a'))}).execute();
     process.stdout.write('written');
     setInterval(() => {}, 1000);`,
  );
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');

  const rows = await (await open()).selectFrom('accounts').selectAll().execute();
  expect(rows).toEqual([account('a')]);
});

test('the file and its companions are private', async () => {
  const db = await open();
  await db.insertInto('accounts').values(account('a')).execute();
  for (const name of [file(), `${file()}-wal`, `${file()}-shm`]) expect(statSync(name).mode & 0o777).toBe(0o600);
});

// The log is synced after each commit (log-sync.test.ts of @berth/sqlite); SQLite itself syncs at checkpoints.
test('there is a log whose order survives a power failure, and foreign keys hold', async () => {
  const db = await open();
  const pragma = async (name: string) => Object.values((await sql.raw(`PRAGMA ${name}`).execute(db)).rows[0] ?? {})[0];
  expect(await pragma('journal_mode')).toBe('wal');
  expect(await pragma('synchronous')).toBe(1);
  expect(await pragma('foreign_keys')).toBe(1);
  const orphan = { account_id: 'nobody', user_id: 'nobody', role: 'owner', created_at: 1 } as const;
  await expect(db.insertInto('account_members').values(orphan).execute()).rejects.toThrow('FOREIGN KEY');
});

test('a query beside a transaction waits for it and sees all of it', async () => {
  const db = await open();
  const seen: number[] = [];
  const count = async () => {
    const rows = await db.selectFrom('accounts').select('id').execute();
    seen.push(rows.length);
  };
  const transaction = db.transaction().execute(async (handle) => {
    await handle.insertInto('accounts').values(account('a')).execute();
    await new Promise((resolve) => setImmediate(resolve));
    await handle.insertInto('accounts').values(account('b')).execute();
  });
  await Promise.all([transaction, count(), count()]);
  expect(seen).toEqual([2, 2]);
});

test('a transaction that throws leaves nothing', async () => {
  const db = await open();
  const failing = db.transaction().execute(async (handle) => {
    await handle.insertInto('accounts').values(account('a')).execute();
    throw new Error('stop');
  });
  await expect(failing).rejects.toThrow('stop');
  expect(await db.selectFrom('accounts').selectAll().execute()).toEqual([]);
});

test('a key that exists is told apart from other faults', async () => {
  const db = await open();
  await db.insertInto('accounts').values(account('a')).execute();
  const failure = (row: ReturnType<typeof account>) =>
    db
      .insertInto('accounts')
      .values(row)
      .execute()
      .then(undefined, (error: unknown) => error);
  expect(isUniqueViolation(await failure(account('a')))).toBe(true);
  expect(isUniqueViolation(await failure({ ...account('b'), name: 'name-a' }))).toBe(true);
  expect(isUniqueViolation(await failure({ ...account('c'), plan: null as unknown as string }))).toBe(false);
  expect(isUniqueViolation('UNIQUE')).toBe(false);
});

test('a full disk is unavailable, and what was there stays', async () => {
  const db = await open();
  await db.insertInto('accounts').values(account('a')).execute();
  const { rows } = await sql<{ page_count: number }>`PRAGMA page_count`.execute(db);
  await sql.raw(`PRAGMA max_page_count = ${rows[0]?.page_count}`).execute(db);
  const writing = db.transaction().execute(async (handle) => {
    for (let i = 0; i < 100; i++) {
      await handle
        .insertInto('accounts')
        .values({ ...account(`b${i}`), plan: 'x'.repeat(4_000) })
        .execute();
    }
  });
  await expect(writing).rejects.toMatchObject({ code: 'unavailable', message: 'The disk of the database is full.' });
  expect(await db.selectFrom('accounts').select('id').execute()).toEqual([{ id: 'a' }]);
});

test.each([
  ['text', () => writeFileSync(file(), 'this is no database, but long enough to have a header'.repeat(100))],
  ['half a file', () => truncateSync(file(), Math.floor(statSync(file()).size / 2))],
  [
    'overwritten pages',
    () => {
      const bytes = readFileSync(file());
      bytes.fill(0x5a, 8_192, 16_384);
      writeFileSync(file(), bytes);
    },
  ],
])('a file that is %s is refused in words', async (_what, damage) => {
  const { db, close } = await openDatabase({ file: file() });
  for (let i = 0; i < 50; i++)
    await db
      .insertInto('accounts')
      .values(account(`a${i}`))
      .execute();
  await close();
  damage();
  const error: unknown = await openDatabase({ file: file() }).then(undefined, (thrown: unknown) => thrown);
  expect(BerthError.is(error, 'unavailable')).toBe(true);
  expect((error as Error).message).toContain(file());
  expect((error as Error).message).toContain('damaged; restore it from a backup');
});

test('a folder that is not there is named', async () => {
  const missing = path.join(folder, 'nowhere', 'berth.db');
  await expect(openDatabase({ file: missing })).rejects.toThrow(`${missing} can't be used. ENOENT`);
});

test('what a query cannot store is refused, not turned into text', async () => {
  const db = await open();
  const row = { ...account('a'), plan: new Date() as unknown as string };
  await expect(db.insertInto('accounts').values(row).execute()).rejects.toThrow('[object Date]');
});

test('a stream that is left early does not stand in the way of the next query', async () => {
  const db = await open();
  for (const id of ['a', 'b', 'c']) await db.insertInto('accounts').values(account(id)).execute();
  const query = db.selectFrom('accounts').select('id').orderBy('id');
  for await (const { id } of query.stream()) {
    expect(id).toBe('a');
    break;
  }
  expect(await query.execute()).toHaveLength(3);
  await db.deleteFrom('accounts').execute();
  expect(await query.execute()).toEqual([]);
});
