import { createHash } from 'node:crypto';
import pg from 'pg';

/** The Postgres server that the tests of a lane share; undefined when they run on SQLite. */
const SHARED = process.env['BERTH_TEST_DATABASE_URL'];

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

/** Drops the database of a data folder that is removed. */
export async function dropDatabaseOf(dataFolder: string): Promise<void> {
  if (SHARED !== undefined) await query(`drop database if exists ${nameOf(dataFolder)} with (force)`);
}

async function query(text: string): Promise<pg.QueryResult> {
  const client = new pg.Client(SHARED);
  await client.connect();
  try {
    return await client.query(text);
  } finally {
    await client.end();
  }
}
