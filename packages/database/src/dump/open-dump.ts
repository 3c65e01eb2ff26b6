import { connectionSettings } from '@berth/postgres';
import pg from 'pg';
import { SCHEMA } from '../migrations/index.ts';
import { RUNNING_TABLES } from '../migrations/running-tables.ts';
import type { DumpedTable } from './dumped-table.ts';

/** One moment of a Postgres database. */
export interface DatabaseDump extends AsyncDisposable {
  /** Every table of the platform's schemas, except the leases of running servers. A table comes after those that its foreign keys refer to. */
  readonly tables: readonly DumpedTable[];
  /** Yields the rows of a table as lines of JSON, a few megabytes at a time. Call it for one table at a time. */
  chunks(table: DumpedTable): AsyncGenerator<string>;
}

/** Size of a chunk to aim for. */
const CHUNK_BYTES = 2 * 2 ** 20;
/** Bounds the memory when short rows are followed by long ones. */
const MAX_ROWS = 256;

/** Tables of the platform, read from the catalog so that none is forgotten. The partitions of a table are read through it. */
const TABLES = `
  select n.nspname as schema, c.relname as name,
    (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
    (select coalesce(array_agg(f.confrelid::regclass::text), '{}') from pg_constraint f
      where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as parents,
    c.oid::regclass::text as id
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and not c.relispartition and (n.nspname = 'berth' or n.nspname like 'berth\\_%')
  order by 1, 2`;

interface TableRow extends DumpedTable {
  readonly parents: readonly string[];
  readonly id: string;
}

/**
 * Opens a dump of the platform's schemas, `berth` and `berth_…`, in a transaction that sees one moment and writes nothing. Postgres itself
 * writes the rows as JSON, so that every type can be restored exactly.
 */
export async function openDump(url: string): Promise<DatabaseDump> {
  // The reader decides how long it takes.
  const client = new pg.Client({
    ...connectionSettings(url),
    statement_timeout: 0,
    idle_in_transaction_session_timeout: 0,
  });
  // A query that runs when the connection breaks rejects with the same error.
  client.on('error', () => {});
  await client.connect();
  const close = () => client.end();
  try {
    await client.query('begin isolation level repeatable read read only');
    // Texts and times are written alike whatever the settings of the database are.
    await client.query("set local search_path to ''; set local timezone to 'UTC'; set local extra_float_digits to 1");
    const { rows } = await client.query<TableRow>(TABLES);
    const tables = sortByParents(rows)
      .filter(({ schema, name }) => schema !== SCHEMA || !RUNNING_TABLES.has(name))
      .map(({ schema, name, columns }) => ({ schema, name, columns }));
    return { tables, chunks: (table) => readChunks(client, table), [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function* readChunks(client: pg.Client, { schema, name }: DumpedTable): AsyncGenerator<string> {
  const table = `${client.escapeIdentifier(schema)}.${client.escapeIdentifier(name)}`;
  await client.query(`declare rows no scroll cursor for select row_to_json(t)::text as row from ${table} t`);
  for (let count = 16; ; ) {
    const { rows } = await client.query<{ readonly row: string }>(`fetch ${count} from rows`);
    if (rows.length === 0) break;
    const chunk = rows.map(({ row }) => `${row}\n`).join('');
    yield chunk;
    count = Math.max(1, Math.min(MAX_ROWS, Math.floor((rows.length * CHUNK_BYTES) / chunk.length)));
  }
  await client.query('close rows');
}

function sortByParents(rows: readonly TableRow[]): TableRow[] {
  const sorted = new Map<string, TableRow>();
  for (let rest = [...rows]; rest.length > 0; ) {
    const ready = rest.filter(({ parents }) => parents.every((id) => sorted.has(id)));
    if (ready.length === 0) throw new Error(`tables refer to each other: ${rest.map(({ id }) => id).join(', ')}`);
    for (const row of ready) sorted.set(row.id, row);
    rest = rest.filter(({ id }) => !sorted.has(id));
  }
  return [...sorted.values()];
}
