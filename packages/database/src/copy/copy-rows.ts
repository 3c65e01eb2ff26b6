import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { CopiedTable } from './read-tables.ts';

/** A database of tables that are only known at run time. */
export type AnyDatabase = Kysely<Record<string, Row>>;

type Row = Record<string, unknown>;

/** A value that the other database can't hold, and what it holds instead. */
export interface AdaptedValue {
  readonly table: string;
  /** Values of the row's primary key. */
  readonly key: readonly unknown[];
  readonly column: string;
  readonly reason: string;
}

/** Number of rows, and the SHA-256 of all of them in the order of the key. */
export interface TableDigest {
  readonly rows: number;
  readonly sha256: string;
}

/** With the widest table, a third of the parameters that SQLite and Postgres allow in a statement. */
const BATCH_ROWS = 500;

/** Options of {@link copyRows}. */
export interface CopyRowsOptions {
  readonly source: AnyDatabase;
  readonly target: AnyDatabase;
  readonly table: CopiedTable;
  readonly signal: AbortSignal;
  /** Called after each batch with the number of rows copied in this run. */
  onRows(count: number): void;
  onAdapted(value: AdaptedValue): void;
}

/** Copies the rows of a table that come after the last one of the target, in batches that are each written as a whole. */
export async function copyRows({ source, target, table, signal, onRows, onAdapted }: CopyRowsOptions): Promise<void> {
  const descending = table.key.map((column) => sql`${sql.ref(column)} desc`);
  const last = await sql<Row>`select * from ${sql.table(table.name)} order by ${sql.join(descending)} limit 1`.execute(
    target,
  );
  let count = 0;
  for await (const rows of readBatches(source, table, last.rows[0])) {
    signal.throwIfAborted();
    await target
      .insertInto(table.name)
      .values(rows.map((row) => adapt(table, row, onAdapted)))
      .execute();
    count += rows.length;
    onRows(count);
  }
}

/** Reads a whole table. Both sides of a complete copy have the same digest. */
export async function digestRows(db: AnyDatabase, table: CopiedTable, signal: AbortSignal): Promise<TableDigest> {
  const hash = createHash('sha256');
  let count = 0;
  for await (const rows of readBatches(db, table)) {
    signal.throwIfAborted();
    for (const row of rows) hash.update(`${JSON.stringify(Object.values(adapt(table, row)))}\n`);
    count += rows.length;
  }
  return { rows: count, sha256: hash.digest('hex') };
}

/** Returns the number of rows. */
export async function countRows(db: AnyDatabase, table: CopiedTable): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table.name)}`.execute(db);
  return Number(rows[0]?.count);
}

/** Yields the rows of a table by its key, after those up to `after`. */
async function* readBatches(db: AnyDatabase, { name, key }: CopiedTable, after?: Row): AsyncGenerator<readonly Row[]> {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  for (let last = after; ; ) {
    const values = last && sql.join(key.map((column) => sql`${last?.[column]}`));
    const where = values ? sql`where (${columns}) > (${values})` : sql``;
    const query = sql<Row>`select * from ${sql.table(name)} ${where} order by ${columns} limit ${sql.lit(BATCH_ROWS)}`;
    const { rows } = await query.execute(db);
    if (rows.length > 0) yield rows;
    last = rows.at(-1);
    if (rows.length < BATCH_ROWS) return;
  }
}

/** Returns a row as both databases can hold it, with its columns in the order of the table. */
function adapt(table: CopiedTable, row: Row, onAdapted?: (value: AdaptedValue) => void): Row {
  const adapted: Row = {};
  for (const { name, isInteger } of table.columns) {
    const value = row[name];
    const tell = (reason: string) =>
      onAdapted?.({ table: table.name, key: table.key.map((column) => row[column]), column: name, reason });
    if (value === undefined) throw new Error(`the table ${table.name} has no column ${name} on one side`);
    if (typeof value === 'string' && value.includes('\0')) {
      tell('NUL characters became U+FFFD');
      adapted[name] = value.replaceAll('\0', '\u{fffd}');
    } else if (isInteger && typeof value === 'number' && !Number.isInteger(value)) {
      tell(`${value} was rounded to an integer`);
      adapted[name] = Math.round(value);
    } else if (isInteger && value !== null && !Number.isSafeInteger(value)) {
      const place = `${table.name} ${JSON.stringify(table.key.map((column) => row[column]))}`;
      throw new Error(`the column ${name} of ${place} is no integer below 2^53: ${String(value)}`);
    } else adapted[name] = value;
  }
  return adapted;
}
