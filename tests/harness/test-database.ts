import { createHash } from 'node:crypto';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';

/** The Postgres server that the tests of a lane share; undefined when they run on SQLite. */
const SHARED = process.env['BERTH_TEST_DATABASE_URL'];

/** True when the servers of the tests have their database in Postgres. */
export const IS_ON_POSTGRES = SHARED !== undefined;

const made = new Set<string>();

function nameOf(dataFolder: string): string {
  return `b_${createHash('sha256').update(dataFolder).digest('hex').slice(0, 24)}`;
}

/** Returns the setting with the database that belongs to a data folder, which is created at the first call; nothing on SQLite. */
export async function databaseOf(dataFolder: string): Promise<Readonly<Record<string, string>>> {
  if (SHARED === undefined) return {};
  const name = nameOf(dataFolder);
  if (!made.has(name)) {
    made.add(name);
    const { rows } = await query(`select 1 from pg_database where datname = '${name}'`);
    if (rows.length === 0) await query(`create database ${name}`);
  }
  return { BERTH_DATABASE_URL: SHARED.replace('/postgres?', `/${name}?`) };
}

/** Runs a statement on the database of a data folder, as no client could. The same SQL runs on SQLite and on Postgres. */
export async function changeDatabase(dataFolder: string, statement: string): Promise<void> {
  if (SHARED === undefined) {
    using database = new DatabaseSync(path.join(dataFolder, 'berth.db'), { timeout: 10_000 });
    database.exec(statement);
    return;
  }
  const { BERTH_DATABASE_URL: url } = await databaseOf(dataFolder);
  await query(`set search_path to berth; ${statement}`, url);
}

/** Drops the database of a data folder that is removed. */
export async function dropDatabaseOf(dataFolder: string): Promise<void> {
  if (SHARED !== undefined) await query(`drop database if exists ${nameOf(dataFolder)} with (force)`);
}

async function query(text: string, url = SHARED): Promise<pg.QueryResult> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await client.query(text);
  } finally {
    await client.end();
  }
}
