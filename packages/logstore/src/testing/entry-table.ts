import { type DuckDBBlobValue, DuckDBInstance } from '@duckdb/node-api';
import type { LogInput, LogScope, StoredEntry } from '../entry/log-entry.ts';
import { encodeBody } from '../lines/record-line.ts';
import { selectColumns, selectWithNames } from '../processes/log-engine/entry-columns.ts';
import { filterOfText, INDEXED_TEXT } from '../processes/log-engine/index-tokens.ts';
import type { LogFilter } from '../query/filter/log-filter.ts';
import { toSql } from '../query/filter/to-sql.ts';
import type { TokenFilter } from '../tokens/token-filter.ts';

export const TABLE_SCOPE: LogScope = { account: 'acme', deployment: 'shop' };

/** Entries in a table of DuckDB, made of what a segment would hold. */
export interface EntryTable extends AsyncDisposable {
  /** Places of the entries that fit. */
  select(filter: LogFilter): Promise<number[]>;
  /** For each entry, the token filter of a block of nothing else. */
  tokenFilters(): Promise<TokenFilter[]>;
}

export async function createEntryTable(entries: readonly StoredEntry[]): Promise<EntryTable> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  await connection.run('CREATE TABLE lines (place INTEGER, json VARCHAR)');
  for (const [place, { timestamp, insertId: _, ...input }] of entries.entries()) {
    const json = `{"timestamp":"${timestamp}",${encodeBody(input as LogInput).slice(1)}`;
    await connection.run('INSERT INTO lines VALUES ($1, $2)', [place, json]);
  }
  const parquet = selectWithNames(`(${selectColumns('lines')})`, {
    deployment: TABLE_SCOPE.deployment,
    scopeTag: 'tag',
  });
  await connection.run(`CREATE TABLE entries AS ${parquet}`);
  return {
    async select(filter) {
      const { sql, values } = toSql(filter, 'tag');
      const reader = await connection.runAndReadAll(`SELECT rowid::INTEGER FROM entries WHERE ${sql} ORDER BY rowid`, [
        ...values,
      ]);
      return reader.getRowsJS().map(([place]) => Number(place));
    },
    async tokenFilters() {
      const reader = await connection.runAndReadAll(
        `SELECT ${INDEXED_TEXT} FROM entries GROUP BY rowid ORDER BY rowid`,
      );
      return reader.getRows().map(([text]) => filterOfText((text as DuckDBBlobValue).bytes));
    },
    async [Symbol.asyncDispose]() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}
