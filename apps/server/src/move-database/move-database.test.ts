import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { claimDatabase, openDatabase } from '@berth/database';
import { findPostgres, NO_POSTGRES, startPostgres, type TestPostgres } from '@berth/database/testing';
import { createSilentLogger, createSystemClock } from '@berth/kit';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { lockDataFolder } from '../data-folder/data-folder-lock.ts';
import { type MoveDatabaseOptions, moveDatabase } from './move-database.ts';

const programs = findPostgres();
if (!programs && process.env['CI'] === 'true') throw new Error(`CI must have everything, and this ${NO_POSTGRES}`);
const logger = createSilentLogger();

describe.skipIf(!programs)(programs ? 'a move of the database' : `a move of the database: ${NO_POSTGRES}`, () => {
  let server: TestPostgres;
  let url: string;
  let folder: string;
  let databases = 0;
  beforeAll(async () => {
    server = await startPostgres(programs as string);
  });
  afterAll(() => server?.close());
  beforeEach(async () => {
    const name = `moved_${++databases}`;
    const client = new pg.Client(server.url);
    await client.connect();
    await client.query(`create database ${name}`);
    await client.end();
    url = server.url.replace('/postgres?', `/${name}?`);
    folder = mkdtempSync(path.join(tmpdir(), 'move-'));
    const { db, close } = await openDatabase({ file: path.join(folder, 'berth.db') });
    await db
      .insertInto('accounts')
      .values({ id: 'acc', name: 'acme', plan: 'free', is_operator: 1, created_at: 1 })
      .execute();
    await close();
    return () => rmSync(folder, { recursive: true });
  });

  const move = (to: MoveDatabaseOptions['to'], more: Partial<MoveDatabaseOptions> = {}) =>
    moveDatabase({
      ...{ dataFolder: folder, to, url, isDryRun: false, clock: createSystemClock(), logger },
      ...{ signal: new AbortController().signal, onProgress: () => {}, onAdapted: () => {} },
      ...more,
    });
  const at = (name: string) => path.join(folder, name);
  const databaseFiles = () =>
    readdirSync(folder)
      .filter((name) => !name.endsWith('.lock'))
      .sort();
  const accountsOf = async (place: Parameters<typeof openDatabase>[0]) => {
    const { db, close } = await openDatabase(place);
    const rows = await db.selectFrom('accounts').select('name').execute().finally(close);
    return rows.map(({ name }) => name);
  };

  test('switches the folder, keeps what was moved, and moves back', async () => {
    const { tables, kept } = await move('postgres');
    expect(tables.find(({ table }) => table === 'accounts')).toMatchObject({ rows: 1, sha256: expect.any(String) });
    expect(databaseFiles()).toEqual([expect.stringMatching(/^berth\.db\.migrated-\d{8}T\d{6}Z$/), 'postgres']);
    expect(await accountsOf({ file: kept as string })).toEqual(['acme']);
    expect(await accountsOf({ url })).toEqual(['acme']);
    expect(await move('postgres')).toEqual({ tables: [], kept: undefined });

    const back = await move('sqlite');
    expect(back).toEqual({ tables, kept: expect.stringMatching(/^berth_migrated_\d{8}t\d{6}z$/) });
    expect(databaseFiles()).toEqual(['berth.db', expect.stringContaining('berth.db.migrated-')]);
    expect(statSync(at('berth.db')).mode & 0o777).toBe(0o600);
    expect(await accountsOf({ file: at('berth.db') })).toEqual(['acme']);
    expect(await accountsOf({ url, schema: back.kept as string })).toEqual(['acme']);
    expect(await move('sqlite')).toEqual({ tables: [], kept: undefined });
    // The schema was put aside, so the same database can be used again.
    expect((await move('postgres')).tables).toEqual(tables);
  });

  // Fails when a run that was killed in its switch can't be continued, or when a server could start in between.
  test('goes on wherever a run was killed while it switched the folder', async () => {
    const { kept } = await move('postgres');
    const incomplete = async () => {
      const client = new pg.Client(url);
      await client.connect();
      await client.query(
        'create table berth.incomplete_copy (is_verified integer); insert into berth.incomplete_copy values (1)',
      );
      await client.end();
      await expect(openDatabase({ url })).rejects.toThrow('incomplete copy');
    };
    // Killed before the copy was completed.
    await incomplete();
    expect(await move('postgres')).toEqual({ tables: [], kept: undefined });
    expect(await accountsOf({ url })).toEqual(['acme']);
    // Killed before the file was renamed.
    await incomplete();
    renameSync(kept as string, at('berth.db'));
    expect((await move('postgres')).tables).not.toEqual([]);
    expect(await accountsOf({ url })).toEqual(['acme']);
    // Killed, on the way back, before the mark was removed.
    await move('sqlite');
    writeFileSync(at('postgres'), '');
    await move('sqlite');
    expect(existsSync(at('postgres'))).toBe(false);
    expect(await accountsOf({ file: at('berth.db') })).toEqual(['acme']);
  });

  test('in a dry run counts rows and changes nothing', async () => {
    const before = databaseFiles();
    const { tables, kept } = await move('postgres', { isDryRun: true });
    expect(tables.find(({ table }) => table === 'accounts')).toEqual({ table: 'accounts', rows: 1 });
    expect([kept, databaseFiles()]).toEqual([undefined, before]);
    await move('postgres');
    expect((await move('sqlite', { isDryRun: true })).tables).toEqual(tables);
    expect(existsSync(at('berth.db'))).toBe(false);
  });

  test('is refused while a server uses the folder or the database, and without one of them', async () => {
    const lock = lockDataFolder(folder);
    await expect(move('postgres')).rejects.toMatchObject({ code: 'conflict' });
    lock.release();
    const wrong = url.replace('test@', 'test:geheim@').replace('host=', 'host=/nonexistent');
    const error = (await move('postgres', { url: wrong }).catch((thrown: unknown) => thrown)) as Error;
    expect(error).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining("The Postgres database can't be used."),
    });
    expect(error.message).not.toContain('geheim');
    await expect(move('postgres', { dataFolder: path.join(folder, 'none') })).rejects.toMatchObject({
      code: 'not_found',
    });
    const claim = await claimDatabase(url, { logger, isShared: false });
    await expect(move('postgres')).rejects.toMatchObject({ code: 'conflict' });
    await claim.release();
    expect(await accountsOf({ file: at('berth.db') })).toEqual(['acme']);
  }, 60_000);
});
