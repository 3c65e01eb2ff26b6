import type { DuckDBBlobValue, DuckDBConnection } from '@duckdb/node-api';
import type { RequiredTokens } from '../../query/filter/required-tokens.ts';
import { createTokenFilterBuilder, mayHaveKeys, type TokenFilter } from '../../tokens/token-filter.ts';
import { readTokenIndex, type TokenBlock } from '../../tokens/token-index.ts';
import { createKeyScanner, keysOf } from '../../tokens/token-keys.ts';
import { quoteSql } from './entry-columns.ts';

/** Entries of a block: about those of a row group. */
const BLOCK_ROWS = 20_000;
/** Merged segments with smaller blocks are indexed again. */
const SMALL_BLOCK_ROWS = BLOCK_ROWS / 4;

/** Columns whose texts differ from row to row, and those with few texts. Together, all that a filter's texts can be in. */
const VARIED = ['message', 'http_url', 'http_remote_ip', 'http_user_agent', 'trace'];
const REPEATED = ['log_name', 'revision', 'instance', 'http_method', 'http_protocol'];
const OBJECTS = ['json_payload', 'labels'];

/**
 * SQL of the indexed text of a row, of columns of a segment. Objects are in it as JSON and, where JSON has escapes, also without those:
 * `SEARCH` looks into the text of a value.
 */
const ROW_TEXT = `concat_ws(chr(10), ${[
  ...VARIED,
  ...OBJECTS,
  ...OBJECTS.map(
    (name) => `CASE WHEN contains(${name}, '\\') THEN regexp_replace(${name}, '\\\\(u[0-9A-Fa-f]{4}|.)', ' ', 'g') END`,
  ),
].join(', ')})`;

/** SQL of the indexed text of a group of rows. It is folded in the way of the filters' conditions. */
export const INDEXED_TEXT = `encode(lower(concat_ws(chr(10), string_agg(${ROW_TEXT}, chr(10)), ${REPEATED.map(
  (name) => `string_agg(DISTINCT ${name}, chr(10))`,
).join(', ')})))`;

/** Returns the filter of a text as {@link INDEXED_TEXT} makes it. */
export function filterOfText(text: Uint8Array): TokenFilter {
  const builder = createTokenFilterBuilder();
  const scanner = createKeyScanner(builder.addWord, builder.addGram);
  scanner.scan(text);
  scanner.end();
  return builder.build();
}

/** Returns the token index of a Parquet file without one. @throws DuckDB's error. */
export async function indexTokens(connection: DuckDBConnection, path: string): Promise<TokenBlock[]> {
  const file = `read_parquet(${quoteSql(path)})`;
  const bounds = await connection.runAndReadAll(
    `SELECT epoch_ns(min(timestamp)), epoch_ns(max(timestamp)), count(*)::INTEGER FROM
     (SELECT timestamp, (row_number() OVER (ORDER BY timestamp) - 1) // ${BLOCK_ROWS} AS block FROM ${file})
     GROUP BY block ORDER BY 1`,
  );
  const blocks: TokenBlock[] = [];
  // Block by block: the text of a segment may be a hundred megabytes.
  for (const [first, last, rows] of bounds.getRows()) {
    const startsAt = first as bigint;
    const endsAt = last as bigint;
    const reader = await connection.runAndReadAll(
      `SELECT ${INDEXED_TEXT} FROM ${file}
       WHERE timestamp BETWEEN make_timestamp_ns(${startsAt}) AND make_timestamp_ns(${endsAt})`,
    );
    const text = reader.getRows()[0]?.[0] as DuckDBBlobValue;
    blocks.push({ startsAt, endsAt, rows: rows as number, filter: filterOfText(text.bytes) });
  }
  return blocks;
}

/** Returns the token index of a file that was merged from others, from theirs where it can. @throws DuckDB's error. */
export async function mergeTokenIndexes(
  connection: DuckDBConnection,
  sources: readonly string[],
  target: string,
): Promise<readonly TokenBlock[]> {
  const blocks: TokenBlock[] = [];
  for (const source of sources) {
    blocks.push(...((await readTokenIndex(source)) ?? (await indexTokens(connection, source))));
  }
  const rows = blocks.reduce((sum, block) => sum + block.rows, 0);
  return rows < blocks.length * SMALL_BLOCK_ROWS && blocks.length > 1 ? indexTokens(connection, target) : blocks;
}

/** Returns a function that is true for filters of blocks that may have entries with these tokens. */
export function createTokenTest(required: RequiredTokens): (filter: TokenFilter) => boolean {
  if (required.kind === 'text') {
    const keys = keysOf(required.text, required.isWhole);
    return (filter) => mayHaveKeys(filter, keys);
  }
  const tests = required.terms.map(createTokenTest);
  return required.kind === 'and'
    ? (filter) => tests.every((test) => test(filter))
    : (filter) => tests.some((test) => test(filter));
}
