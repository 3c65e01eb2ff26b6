import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { BerthError, type Logger } from '@berth/kit';
import { openPostgres } from '@berth/postgres';
import { migrate } from '@berth/sqlite';
import { type Kysely, sql } from 'kysely';
import { MIGRATIONS, SCHEMA } from '../migrations/index.ts';
import { type AdaptedValue, type AnyDatabase, copyRows, countRows, digestRows, type TableDigest } from './copy-rows.ts';
import { INCOMPLETE, isIncomplete, markIncomplete } from './incomplete-copy.ts';
import { type CopiedTable, readTables } from './read-tables.ts';
import { openPostgresSide, openSqliteSide } from './sides.ts';

/** Options of {@link copyToPostgres} and {@link copyToSqlite}. */
export interface CopyDatabaseOptions {
  /** Path of the SQLite database. */
  readonly file: string;
  /** URL of the Postgres database. */
  readonly url: string;
  /** Postgres schema of the tables; `berth` by default. */
  readonly schema?: string;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Called for each table when its copying begins, and after each batch. */
  onProgress(progress: CopyProgress): void;
  /** Called for each value that had to change. Keys of a row that is copied again are told again. */
  onAdapted(value: AdaptedValue): void;
}

/** The database that {@link copyInto} copies: a file, or the platform's schema in another Postgres database. */
export type CopySource = Pick<CopyDatabaseOptions, 'file'> | Pick<CopyDatabaseOptions, 'url'>;

/** Options of {@link copyInto}. */
export interface CopyIntoOptions extends Omit<CopyDatabaseOptions, 'file'> {
  readonly source: CopySource;
}

/** Rows of a table that are copied, and how many it has. */
export interface CopyProgress {
  readonly table: string;
  readonly copied: number;
  readonly rows: number;
}

/** A table that both sides have alike. */
export interface CopiedDigest extends TableDigest {
  readonly table: string;
}

/** The database whose tables {@link countTables} counts: a file, or a schema of Postgres. */
export type CountedPlace = { readonly file: string } | Pick<CopyDatabaseOptions, 'url' | 'schema' | 'logger'>;

/** Lists the tables that a copy has, and counts their rows. Changes nothing. */
export async function countTables(place: CountedPlace): Promise<readonly Pick<CopiedDigest, 'table' | 'rows'>[]> {
  await using side = 'file' in place ? openSqliteSide(place.file) : openPostgresSide({ schema: SCHEMA, ...place });
  const count = await appliedMigrations(side.db, 'file' in place ? place.file : 'the Postgres database');
  const counts: Pick<CopiedDigest, 'table' | 'rows'>[] = [];
  for (const table of await tablesAfter(count)) {
    counts.push({ table: table.name, rows: await countRows(side.db, table) });
  }
  return counts;
}

/**
 * Checks that a database has the newest schema of this version, which a start of this version's server gives it. Changes nothing.
 * @throws `not_found` without tables of Berth; `unavailable` for an older or newer schema
 */
export async function requireNewestSchema(place: CountedPlace): Promise<void> {
  await using side = 'file' in place ? openSqliteSide(place.file) : openPostgresSide({ schema: SCHEMA, ...place });
  const name = 'file' in place ? place.file : 'The Postgres database';
  if ((await appliedMigrations(side.db, name)) === MIGRATIONS.length) return;
  throw refuse(
    'unavailable',
    503,
    `${name} was written by an older version of Berth. Start the server once with this version, and run the command again.`,
  );
}

/** Returns the tables of the platform after some migrations, in the order in which they can be filled. */
async function tablesAfter(migrations: number): Promise<readonly CopiedTable[]> {
  // A new database has the tables of the schema.
  await using empty = openSqliteSide(':memory:');
  await migrate(empty.db as Kysely<unknown>, MIGRATIONS.slice(0, migrations));
  return await readTables(empty.db as Kysely<unknown>);
}

/**
 * Copies an SQLite database that no process uses into an empty schema of Postgres, and compares both. A copy that was interrupted goes on
 * where it was. No server starts on the schema until {@link completeCopy}.
 * @throws `conflict` when the schema has rows of its own; `unavailable` when a database can't be used.
 */
export function copyToPostgres({ file, ...options }: CopyDatabaseOptions): Promise<readonly CopiedDigest[]> {
  return copyInto({ ...options, source: { file } });
}

/** Copies a database that no process uses into an empty schema of Postgres, as {@link copyToPostgres} does. */
export async function copyInto(options: CopyIntoOptions): Promise<readonly CopiedDigest[]> {
  const { source: from, url, schema = SCHEMA, logger } = options;
  const isFile = 'file' in from;
  await using source = isFile ? openSqliteSide(from.file) : openPostgresSide({ url: from.url, schema: SCHEMA, logger });
  const count = await appliedMigrations(source.db, isFile ? from.file : 'the Postgres database');
  // Migrates the target to the version of the source.
  await (await openPostgres({ url, schema, migrations: MIGRATIONS.slice(0, count), logger })).close();
  await using target = openPostgresSide({ url, schema, logger });
  const tables = isFile ? await readTables(source.db as Kysely<unknown>) : await tablesAfter(count);
  if (!(await isIncomplete(target.db as Kysely<unknown>))) {
    for (const table of tables) {
      if ((await countRows(target.db, table)) === 0) continue;
      throw refuse(
        'conflict',
        409,
        `The schema ${schema} of the Postgres database has data already. Nothing was changed. Choose another database, or remove the schema: drop schema ${schema} cascade`,
      );
    }
    await markIncomplete(target.db as Kysely<unknown>, false);
  }
  await sql`update ${INCOMPLETE} set is_verified = 0`.execute(target.db);
  const digests = await copyTables(source.db, target.db, tables, options);
  await sql`update ${INCOMPLETE} set is_verified = 1`.execute(target.db);
  return digests;
}

/**
 * Lets servers start on a schema that {@link copyToPostgres} has filled and compared. Idempotent.
 * @throws `conflict` when the copy is not complete.
 */
export async function completeCopy({
  url,
  schema = SCHEMA,
  logger,
}: Pick<CopyDatabaseOptions, 'url' | 'schema' | 'logger'>) {
  await using side = openPostgresSide({ url, schema, logger });
  if (!(await isIncomplete(side.db as Kysely<unknown>))) return;
  const { rows } = await sql<{ is_verified: number }>`select is_verified from ${INCOMPLETE}`.execute(side.db);
  if (rows[0]?.is_verified !== 1) throw refuse('conflict', 409, 'The copy of the database is not complete.');
  await sql`drop table ${INCOMPLETE}`.execute(side.db);
}

/**
 * Copies a schema of Postgres that no server uses into a new SQLite file, and compares both. A copy that was interrupted goes on where it
 * was.
 * @throws `not_found` when the schema has no tables of Berth; `unavailable` when a database can't be used.
 */
export async function copyToSqlite(options: CopyDatabaseOptions): Promise<readonly CopiedDigest[]> {
  const { file, url, schema = SCHEMA, logger } = options;
  await using source = openPostgresSide({ url, schema, logger });
  if (await isIncomplete(source.db as Kysely<unknown>)) {
    throw refuse('conflict', 409, 'The Postgres database is an incomplete copy. Nothing was changed.');
  }
  const count = await appliedMigrations(source.db, `the schema ${schema}`);
  if (existsSync(file)) {
    await using draft = openSqliteSide(file);
    // Left by another version.
    if ((await appliedMigrations(draft.db, file).catch(() => undefined)) !== count) rmSync(file);
  }
  // For its owner only.
  closeSync(openSync(file, 'a', 0o600));
  await using target = openSqliteSide(file);
  await migrate(target.db as Kysely<unknown>, MIGRATIONS.slice(0, count));
  return await copyTables(source.db, target.db, await readTables(target.db as Kysely<unknown>), options);
}

/** Renames a schema that has been moved, so that it is kept and no server uses it. */
export async function putAside(
  { url, schema = SCHEMA, logger }: Pick<CopyDatabaseOptions, 'url' | 'schema' | 'logger'>,
  name: string,
): Promise<void> {
  await using side = openPostgresSide({ url, schema, logger });
  await sql`alter schema ${sql.id(schema)} rename to ${sql.id(name)}`.execute(side.db);
}

async function copyTables(
  source: AnyDatabase,
  target: AnyDatabase,
  tables: readonly CopiedTable[],
  options: Omit<CopyDatabaseOptions, 'file'>,
): Promise<readonly CopiedDigest[]> {
  for (let isAgain = false; ; isAgain = true) {
    for (const table of tables) await copyTable(source, target, table, options);
    const digests: CopiedDigest[] = [];
    const different: string[] = [];
    for (const table of tables) {
      const [wanted, found] = [
        await digestRows(source, table, options.signal),
        await digestRows(target, table, options.signal),
      ];
      if (wanted.rows === found.rows && wanted.sha256 === found.sha256) digests.push({ table: table.name, ...wanted });
      else different.push(`${table.name} (${wanted.rows} and ${found.rows} rows)`);
    }
    if (different.length === 0) return digests;
    if (isAgain) {
      throw refuse(
        'internal',
        500,
        `The copy differs from its source in ${different.join(', ')}. The source is unchanged.`,
      );
    }
    // The source was used after an interrupted copy.
    for (const table of [...tables].reverse()) await target.deleteFrom(table.name).execute();
  }
}

async function copyTable(
  source: AnyDatabase,
  target: AnyDatabase,
  table: CopiedTable,
  { signal, onProgress, onAdapted }: Omit<CopyDatabaseOptions, 'file'>,
): Promise<void> {
  const [rows, before] = [await countRows(source, table), await countRows(target, table)];
  const onRows = (count: number) => onProgress({ table: table.name, copied: before + count, rows });
  onRows(0);
  await copyRows({ source, target, table, signal, onRows, onAdapted });
}

/** Returns how many migrations a database has. @throws `unavailable` when this version doesn't know all of them. */
async function appliedMigrations(db: AnyDatabase, name: string): Promise<number> {
  const query = sql<{ id: number; name: string }>`select id, name from schema_migrations order by id`;
  const { rows } = await query.execute(db).catch((cause: unknown) => {
    throw refuse('not_found', 404, `There are no tables of Berth in ${name}.`, cause);
  });
  if (rows.every((row, index) => MIGRATIONS[index]?.id === Number(row.id) && MIGRATIONS[index].name === row.name)) {
    return rows.length;
  }
  throw refuse('unavailable', 503, `${name} was written by another version of Berth. Use the command of that version.`);
}

const refuse = (code: string, status: number, message: string, cause?: unknown) =>
  new BerthError({ code, status, message, cause });
