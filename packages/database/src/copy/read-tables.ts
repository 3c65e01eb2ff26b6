import { type Kysely, sql } from 'kysely';
import { RUNNING_TABLES } from '../migrations/running-tables.ts';

/** A table as both databases have it. */
export interface CopiedTable {
  readonly name: string;
  readonly columns: readonly CopiedColumn[];
  /** Columns of the primary key, in its order. */
  readonly key: readonly string[];
}

/** A column of a table. */
export interface CopiedColumn {
  readonly name: string;
  readonly isInteger: boolean;
}

interface ColumnRow {
  readonly name: string;
  readonly type: string;
  /** Position in the primary key, from 1; 0 for other columns. */
  readonly pk: number;
}

/** Recreated by the migrations on the other side, or by its servers. */
const LEFT_OUT = new Set(['schema_migrations', ...RUNNING_TABLES]);

/**
 * Reads the tables of an SQLite database from its schema, so that none can be forgotten. A table comes after those that it refers to.
 */
export async function readTables(db: Kysely<unknown>): Promise<readonly CopiedTable[]> {
  const { rows } = await sql<{ name: string }>`
    select name from sqlite_master where type = 'table' and name not like 'sqlite%' order by name`.execute(db);
  const waiting = new Map<string, { readonly table: CopiedTable; readonly after: ReadonlySet<string> }>();
  for (const { name } of rows) {
    if (LEFT_OUT.has(name)) continue;
    const columns = await sql<ColumnRow>`select name, type, pk from pragma_table_info(${name}) order by cid`.execute(
      db,
    );
    const keys = await sql<{ table: string }>`select "table" from pragma_foreign_key_list(${name})`.execute(db);
    const table = {
      name,
      columns: columns.rows.map((column) => ({ name: column.name, isInteger: /int/i.test(column.type) })),
      key: columns.rows
        .filter(({ pk }) => pk > 0)
        .sort((a, b) => a.pk - b.pk)
        .map((column) => column.name),
    };
    if (table.key.length === 0) throw new Error(`the table ${name} has no primary key, so it can't be copied in order`);
    waiting.set(name, { table, after: new Set(keys.rows.map((key) => key.table).filter((other) => other !== name)) });
  }
  const ordered: CopiedTable[] = [];
  while (waiting.size > 0) {
    const next = [...waiting.values()].find(({ after }) => [...after].every((other) => !waiting.has(other)));
    if (!next) throw new Error(`the tables ${[...waiting.keys()].join(', ')} refer to each other`);
    waiting.delete(next.table.name);
    ordered.push(next.table);
  }
  return ordered;
}
