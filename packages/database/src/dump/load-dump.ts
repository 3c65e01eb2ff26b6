import { createError } from '@berth/contract';
import { connectionSettings, openPostgres } from '@berth/postgres';
import { type Migration, openSqlite } from '@berth/sqlite';
import pg from 'pg';
import { LOG_MIGRATIONS } from '../log-database/log-migrations.ts';
import { MIGRATIONS, SCHEMA } from '../migrations/index.ts';
import { RUNNING_TABLES } from '../migrations/running-tables.ts';
import { type DumpedTable, MIGRATIONS_TABLE } from './dumped-table.ts';

/** Where a dump is loaded: an empty Postgres database, or an SQLite file that doesn't exist. */
export type DumpTarget = { readonly url: string } | { readonly file: string };

/** Options of {@link loadDump}. */
export interface LoadDumpOptions {
  readonly target: DumpTarget;
  /** In the order of the dump. */
  readonly tables: readonly DumpedTable[];
  /** Yields the rows of a table as lines of JSON. */
  chunks(table: DumpedTable): AsyncIterable<string>;
}

/** The platform's schemas and their migrations. Each is loaded at the version of the dump; the server's start migrates it further. */
const SCHEMAS: Readonly<
  Record<string, { readonly migrations: readonly Migration[]; readonly filled: readonly string[] }>
> = {
  /** `filled`: tables that migrations write to. */
  berth: { migrations: MIGRATIONS, filled: [] },
  berth_logs: { migrations: LOG_MIGRATIONS, filled: ['log_slots'] },
};

/**
 * Loads a dump into an empty database, all of it or nothing. Returns the number of rows.
 * @throws BerthError `conflict` when the database has rows; `unavailable` when the dump is newer than this version, or a table exists on
 *   Postgres only and the target is SQLite
 */
export async function loadDump(options: LoadDumpOptions): Promise<number> {
  const { target, tables } = options;
  const versions = new Map<string, readonly Migration[]>();
  for (const schema of new Set(tables.map((table) => table.schema))) {
    versions.set(schema, await migrationsOf(schema, options));
  }
  // Dumps of some versions have the leases of servers, which must not be taken for servers that run.
  const isRunning = ({ schema, name }: DumpedTable) => schema === SCHEMA && RUNNING_TABLES.has(name);
  const rows = tables.filter((table) => table.name !== MIGRATIONS_TABLE && !isRunning(table));
  if ('file' in target) return loadIntoSqlite(target.file, versions.get('berth') ?? [], { ...options, tables: rows });
  await refuseFilled(target.url, rows);
  for (const [schema, migrations] of versions) {
    const opened = await openPostgres({ url: target.url, schema, migrations });
    await opened.close();
  }
  return loadIntoPostgres(target.url, { ...options, tables: rows });
}

async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  for await (const chunk of chunks) yield chunk.split('\n').filter((line) => line !== '');
}

/** Returns the migrations that the dump's schema had. */
async function migrationsOf(schema: string, { tables, chunks }: LoadDumpOptions): Promise<readonly Migration[]> {
  const known = SCHEMAS[schema]?.migrations;
  const table = tables.find((one) => one.schema === schema && one.name === MIGRATIONS_TABLE);
  const applied: Migration['id'][] = [];
  if (table) {
    for await (const lines of linesOf(chunks(table))) {
      applied.push(...lines.map((line) => (JSON.parse(line) as { readonly id: number }).id));
    }
  }
  const migrations = known?.filter(({ id }) => applied.includes(id));
  if (migrations !== undefined && migrations.length === applied.length) return migrations;
  throw createError(
    'unavailable',
    `The dump of the schema ${schema} was written by a newer version of Berth. Update Berth first.`,
  );
}

/** @throws BerthError `conflict` when one of the tables has rows */
async function refuseFilled(url: string, tables: readonly DumpedTable[]): Promise<void> {
  await using client = await connect(url);
  for (const { schema, name } of tables) {
    if (SCHEMAS[schema]?.filled.includes(name)) continue;
    const found = await client.query('select to_regclass($1) is not null as exists', [client.nameOf(schema, name)]);
    if (!found.rows[0]?.['exists']) continue;
    const { rows } = await client.query(`select 1 from ${client.nameOf(schema, name)} limit 1`);
    if (rows.length === 0) continue;
    throw createError(
      'conflict',
      `The database of BERTH_DATABASE_URL is not empty: ${schema}.${name} has rows. A backup is restored into an empty database; nothing was changed. Create one (createdb NAME) and set its URL.`,
    );
  }
}

async function loadIntoPostgres(url: string, { tables, chunks }: LoadDumpOptions): Promise<number> {
  await using client = await connect(url);
  let count = 0;
  await client.query('begin');
  // What migrations wrote is in the dump too.
  for (const { schema, name } of tables.toReversed()) await client.query(`delete from ${client.nameOf(schema, name)}`);
  for (const { schema, name, columns } of tables) {
    const names = columns.map((column) => client.quote(column)).join(', ');
    const into = client.nameOf(schema, name);
    for await (const lines of linesOf(chunks({ schema, name, columns }))) {
      await client.query(
        `insert into ${into} (${names}) select ${names} from json_populate_recordset(null::${into}, $1::json)`,
        [`[${lines.join(',')}]`],
      );
      count += lines.length;
    }
  }
  await client.query('commit');
  return count;
}

async function connect(url: string) {
  const client = new pg.Client({
    ...connectionSettings(url),
    statement_timeout: 0,
    idle_in_transaction_session_timeout: 0,
  });
  client.on('error', () => {});
  await client.connect();
  return {
    query: (text: string, values?: readonly unknown[]) =>
      client.query<Record<string, unknown>>(text, values === undefined ? undefined : [...values]),
    quote: (name: string) => client.escapeIdentifier(name),
    nameOf: (schema: string, table: string) => `${client.escapeIdentifier(schema)}.${client.escapeIdentifier(table)}`,
    [Symbol.asyncDispose]: () => client.end(),
  };
}

/** Parameters of one statement; SQLite allows 32,766. Source: sqlite.org/limits.html. */
const MAX_PARAMETERS = 10_000;

async function loadIntoSqlite(
  file: string,
  migrations: readonly Migration[],
  { tables, chunks }: LoadDumpOptions,
): Promise<number> {
  const { db, close } = await openSqlite<Record<string, Record<string, unknown>>>({
    file,
    migrations,
    isSoleUser: true,
  });
  try {
    return await db.transaction().execute(async (transaction) => {
      let count = 0;
      for (const table of tables) {
        const { schema, name, columns } = table;
        const size = Math.floor(MAX_PARAMETERS / columns.length);
        for await (const lines of linesOf(chunks(table))) {
          if (schema !== 'berth') throw postgresOnly(table);
          const rows = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
          for (let start = 0; start < rows.length; start += size) {
            await transaction
              .insertInto(name)
              .values(rows.slice(start, start + size))
              .execute();
          }
          count += rows.length;
        }
      }
      return count;
    });
  } finally {
    await close();
  }
}

function postgresOnly({ schema, name }: DumpedTable) {
  return createError(
    'unavailable',
    `The backup has rows of ${schema}.${name}, which exists on Postgres only. Set BERTH_DATABASE_URL to an empty database and restore again.`,
  );
}
