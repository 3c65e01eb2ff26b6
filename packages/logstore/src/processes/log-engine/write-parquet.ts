import { chmod, open, readFile, rm } from 'node:fs/promises';
import { SEVERITIES } from '@berth/contract';
import type { DuckDBConnection } from '@duckdb/node-api';
import { jsonOfLine } from '../../lines/record-line.ts';
import type { SegmentSummary } from '../../ports/segment.ts';
import { insertTokenIndex, type TokenBlock } from '../../tokens/token-index.ts';
import type { WriteRequest } from './engine-protocol.ts';
import { quoteSql, readWhole, selectColumns } from './entry-columns.ts';
import { indexTokens, mergeTokenIndexes } from './index-tokens.ts';
import { summarize } from './read-parquet.ts';

const NEWLINE = 10;

/** Rows of a Parquet row group: the unit that a filter on time or severity can skip. */
const GROUP_ROWS = 20_000;

/**
 * Writes the Parquet file of `request`, with a temporary copy of the lines beside it. A failure leaves neither; a crash
 * may leave both.
 */
export async function writeParquet(
  connection: DuckDBConnection,
  request: WriteRequest,
): Promise<SegmentSummary | undefined> {
  const { target } = request;
  const copy = `${target}.lines`;
  let summary: SegmentSummary | undefined;
  try {
    const source = await sourceOf(request, copy);
    await connection.run(
      `COPY (${severeApart(source, request.from === 'lines')}) TO ${quoteSql(target)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${GROUP_ROWS})`,
    );
    await chmod(target, 0o600);
    const found = await summarize(connection, target);
    if (found && !request.isCopy) await insertTokenIndex(target, await indexOf(connection, request));
    summary = found;
    return found;
  } finally {
    await rm(copy, { force: true });
    if (!summary) await rm(target, { force: true });
  }
}

function indexOf(
  connection: DuckDBConnection,
  { from, sources, target }: WriteRequest,
): Promise<readonly TokenBlock[]> {
  return from === 'parquet' ? mergeTokenIndexes(connection, sources, target) : indexTokens(connection, target);
}

async function sourceOf({ from, sources, range }: WriteRequest, copy: string): Promise<string> {
  if (from === 'parquet') return readWhole(sources);
  await copyWholeLines(sources[0] ?? '', range, copy);
  // DuckDB's CSV and JSON readers guess the format, and limit the length of a line.
  const lines = `(SELECT unnest(string_split(content, chr(10))) AS json FROM read_text(${quoteSql(copy)}))`;
  return `(${selectColumns(`${lines} WHERE json <> ''`)})`;
}

/**
 * Returns SQL of the rows of `source`, with those from ERROR on apart from the others, each in the order of time. Most searches are for
 * errors, which are few: they read one row group of a file instead of all.
 */
function severeApart(source: string, isParsed: boolean): string {
  const severe = SEVERITIES.indexOf('ERROR');
  return `WITH source AS ${isParsed ? '' : 'NOT '}MATERIALIZED (FROM ${source})
   FROM source WHERE severity >= ${severe} UNION ALL FROM source WHERE severity < ${severe} OR severity IS NULL`;
}

/** Writes the JSON of a segment's complete lines, some megabytes, to a file of its own. */
async function copyWholeLines(source: string, range: WriteRequest['range'], target: string): Promise<void> {
  const bytes = await readRange(source, range);
  await using file = await open(target, 'wx', 0o600);
  const chunks: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
    const json = jsonOfLine(bytes.subarray(start, end + 1));
    if (json) chunks.push(withoutLoneSurrogates(json), NEWLINE_BYTES);
    start = end + 1;
  }
  await file.writev(chunks.length > 0 ? [Buffer.concat(chunks)] : [Buffer.alloc(0)]);
}

async function readRange(source: string, range: WriteRequest['range']): Promise<Buffer> {
  if (!range) return readFile(source);
  await using file = await open(source, 'r');
  const { bytesRead, buffer } = await file.read(Buffer.alloc(range.end - range.start), { position: range.start });
  return buffer.subarray(0, bytesRead);
}

const NEWLINE_BYTES = Buffer.from('\n');
const ESCAPED_SURROGATE = Buffer.from('\\ud');

/** Replaces lone surrogates, which only an escape can contain: DuckDB rejects such JSON. */
function withoutLoneSurrogates(json: Buffer): Buffer {
  if (!json.includes(ESCAPED_SURROGATE)) return json;
  const text = json.toString();
  return Buffer.from(
    text.replaceAll(/\\(?:\\|ud[89a-f][0-9a-f]{2})/g, (found) => (found === '\\\\' ? found : '\\ufffd')),
  );
}
