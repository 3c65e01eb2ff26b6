import { mkdtemp, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { syncFolder } from '../log-files.ts';
import { jsonOfLine } from '../record-line.ts';
import { columnsName } from '../segment-name.ts';
import { timestampOfNanos } from '../timestamp.ts';
import type { WriteRequest, WriteResult } from './engine-protocol.ts';
import { quoteSql, selectColumns } from './entry-columns.ts';

const NEWLINE = 10;

/** Rows of a Parquet row group: what a filter that looks at time or severity can skip at once. */
const GROUP_ROWS = 20_000;

/**
 * Writes the Parquet file of `request`. It appears under its name when it is whole and on the disk; until then there are
 * only files in a folder `tmp-…` beside it, which is taken away whatever happens, and by the next `load` after a crash.
 */
export async function writeColumns(connection: DuckDBConnection, request: WriteRequest): Promise<WriteResult> {
  const workFolder = await mkdtemp(join(request.folder, 'tmp-'));
  try {
    const target = join(workFolder, 'columns.parquet');
    const source = await sourceOf(request, workFolder);
    await connection.run(
      `COPY (${source}) TO ${quoteSql(target)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${GROUP_ROWS})`,
    );
    const times = await readTimes(connection, target);
    if (!times) return { path: undefined };
    await using file = await open(target, 'r+');
    await file.chmod(0o600);
    await file.sync();
    const path = join(request.folder, columnsName(...times));
    await rename(target, path);
    await syncFolder(request.folder);
    return { path };
  } finally {
    await rm(workFolder, { recursive: true, force: true });
  }
}

async function sourceOf({ from, sources }: WriteRequest, workFolder: string): Promise<string> {
  if (from === 'columns') return `FROM read_parquet([${sources.map(quoteSql).join(', ')}])`;
  const copy = join(workFolder, 'lines');
  await copyWholeLines(sources[0] ?? '', copy);
  // Not a reader of CSV or JSON files: those guess, and bound the length of a line.
  const lines = `(SELECT unnest(string_split(content, chr(10))) AS json FROM read_text(${quoteSql(copy)}))`;
  return selectColumns(`${lines} WHERE json <> ''`);
}

/** The JSON of the whole lines of a segment, which is some megabytes, in a file of its own. */
async function copyWholeLines(source: string, target: string): Promise<void> {
  const bytes = await readFile(source);
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

const NEWLINE_BYTES = Buffer.from('\n');
const ESCAPED_SURROGATE = Buffer.from('\\ud');

/** JSON that holds half a character, which only an escape can, is none for DuckDB. */
function withoutLoneSurrogates(json: Buffer): Buffer {
  if (!json.includes(ESCAPED_SURROGATE)) return json;
  const text = json.toString();
  return Buffer.from(
    text.replaceAll(/\\(?:\\|ud[89a-f][0-9a-f]{2})/g, (found) => (found === '\\\\' ? found : '\\ufffd')),
  );
}

async function readTimes(connection: DuckDBConnection, path: string): Promise<[string, string] | undefined> {
  // As numbers: DuckDB's strftime writes nanoseconds wrongly.
  const reader = await connection.runAndReadAll(
    `SELECT epoch_ns(min(timestamp)), epoch_ns(max(timestamp)) FROM read_parquet(${quoteSql(path)})`,
  );
  const [first, last] = reader.getRows()[0] ?? [];
  if (typeof first !== 'bigint' || typeof last !== 'bigint') return undefined;
  return [timestampOfNanos(first), timestampOfNanos(last)];
}
