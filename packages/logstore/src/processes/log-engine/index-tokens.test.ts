import { mkdtemp, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { expect, onTestFinished, test } from 'vitest';
import type { LogInput } from '../../entry/log-entry.ts';
import { formatTimestamp } from '../../entry/timestamp.ts';
import { encodeBody, encodeLine } from '../../lines/record-line.ts';
import type { LogFilter } from '../../query/filter/log-filter.ts';
import { parseFilter } from '../../query/filter/parse-filter.ts';
import { requiredTokens } from '../../query/filter/required-tokens.ts';
import { toSql } from '../../query/filter/to-sql.ts';
import { readTokenIndex } from '../../tokens/token-index.ts';
import { narrowFiles } from './narrow-files.ts';
import { countRows, selectEntries, surveyRows } from './read-parquet.ts';
import { writeParquet } from './write-parquet.ts';

const NAMES = { deployment: 'shop', scopeTag: 'abcdef' };
const ROWS = 45_000;

interface Fixture {
  readonly connection: DuckDBConnection;
  readonly folder: string;
  /** Writes a segment of entries `first` to `first + count`. */
  write(name: string, first: number, count: number, isCopy?: boolean): Promise<string>;
}

async function createFixture(): Promise<Fixture> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-tokens-'));
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  onTestFinished(async () => {
    connection.closeSync();
    instance.closeSync();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    connection,
    folder,
    async write(name, first, count, isCopy = false) {
      const lines = Array.from({ length: count }, (_, index) => lineOf(first + index));
      const source = join(folder, `${name}.log`);
      const target = join(folder, `${name}.parquet`);
      await writeFile(source, lines.join(''));
      await writeParquet(connection, { from: 'lines', sources: [source], target, isCopy });
      return target;
    },
  };
}

function lineOf(number: number): string {
  const entry: LogInput = {
    logName: 'stdout',
    severity: number % 1_000 === 7 ? 'ERROR' : 'INFO',
    message: `order ${7_000_000 + number} handled`,
    ...(number % 2 === 0 ? { jsonPayload: { user: `u-${number % 50}`, id: number * 11, path: 'C:\\new' } } : {}),
  };
  return encodeLine(formatTimestamp(1_770_000_000_000 + number, 0), encodeBody(entry));
}

/** The answers of all three kinds of a read. */
async function ask(connection: DuckDBConnection, paths: readonly string[], text: string, isIndexed: boolean) {
  const filter = parseFilter(text) as LogFilter;
  const rest = {
    names: NAMES,
    where: toSql(filter, NAMES.scopeTag),
    tokens: isIndexed ? requiredTokens(filter, NAMES) : undefined,
  };
  const span = { fromMs: 0, untilMs: 4e12, buckets: 1 };
  const files = paths.map((path) => ({ path, startsAt: '', endsAt: '~' }));
  const limits = { limit: 100_000, answerBytes: 1e9 } as const;
  const { entries } = await selectEntries(connection, { ...rest, ...limits, files, from: 'oldest' });
  const newest = await selectEntries(connection, { ...rest, ...limits, files, from: 'newest', limit: 5 });
  return {
    messages: entries.map((entry) => entry.message),
    newest: newest.entries.map((entry) => entry.message),
    counts: await countRows(connection, { ...rest, files: paths, span }),
    survey: await surveyRows(connection, { ...rest, files: paths, span, entriesPerFile: 1e6 }),
  };
}

const RARE = ['7012345', '"order 7012345 handled"', 'SEARCH("7012345")', 'message:701234', 'jsonPayload.id=330000'];
const OTHER = [
  'severity>=ERROR AND jsonPayload.user="u-7"',
  'jsonPayload.user="u-4" AND (7012344 OR "7012394")',
  'NOT order',
  '-7012345 AND 701234',
  'message=~"70123[45]{2}"',
  'panic OR jsonPayload.id=11',
  'SEARCH(jsonPayload.path, "new") AND 7000002',
];

test('an index changes no answer, and parts without the tokens are not read', async () => {
  const { connection, write } = await createFixture();
  const paths = [await write('one', 0, ROWS), await write('two', ROWS, 3_000)];
  for (const filter of [...RARE, ...OTHER]) {
    expect({ filter, ...(await ask(connection, paths, filter, true)) }).toEqual({
      filter,
      ...(await ask(connection, paths, filter, false)),
    });
  }
  for (const filter of RARE) {
    const narrowed = await narrowFiles(paths, requiredTokens(parseFilter(filter), NAMES));
    const expected = filter === RARE.at(-1) ? 30_000 : 12_345;
    expect(narrowed).toMatchObject([{ path: paths[0], ranges: [{}] }]);
    const { startsAt = 0n, endsAt = 0n } = narrowed[0]?.ranges?.[0] ?? {};
    const time = BigInt(1_770_000_000_000 + expected) * 1_000_000n;
    expect(startsAt <= time && time <= endsAt).toBe(true);
    expect(Number((endsAt - startsAt) / 1_000_000n)).toBeLessThan(20_000);
  }
  expect(await narrowFiles(paths, requiredTokens(parseFilter('panic'), NAMES))).toEqual([]);
});

test('a damaged index, one of another version and none at all mean a complete read', async () => {
  const { connection, write } = await createFixture();
  const [damaged, older, copy] = [
    await write('a', 0, 100),
    await write('b', 100, 100),
    await write('c', 200, 100, true),
  ];
  const at = async (path: string, fromEnd: number) => {
    const { size } = await stat(path);
    const footer = (await readFile(path)).readUInt32LE(size - 8);
    return size - 8 - footer - fromEnd;
  };
  const change = async (path: string, position: number) => {
    await using file = await open(path, 'r+');
    await file.write(Buffer.from([255]), 0, 1, position);
  };
  // A bit of a filter; the version in the trailer.
  await change(damaged, await at(damaged, 40));
  await change(older, await at(older, 8));
  for (const path of [damaged, older, copy]) expect(await readTokenIndex(path)).toBe(undefined);
  const paths = [damaged, older, copy];
  expect(await narrowFiles(paths, requiredTokens(parseFilter('panic'), NAMES))).toEqual(
    paths.map((path) => ({ path })),
  );
  expect(await ask(connection, paths, '7000150', true)).toMatchObject({ messages: ['order 7000150 handled'] });
});

test('merging keeps the blocks of the sources, indexes those without, and joins small ones', async () => {
  const { connection, folder, write } = await createFixture();
  const large = [await write('large', 0, ROWS), await write('unindexed', ROWS, ROWS, true)];
  const merged = join(folder, 'merged.parquet');
  await writeParquet(connection, { from: 'parquet', sources: large, target: merged });
  const blocks = (await readTokenIndex(merged)) ?? [];
  expect(blocks.map((block) => block.rows)).toEqual([20_000, 20_000, 5_000, 20_000, 20_000, 5_000]);
  expect(await ask(connection, [merged], '7080000', true)).toMatchObject({ messages: ['order 7080000 handled'] });

  const small: string[] = [];
  for (let index = 0; index < 4; index++) small.push(await write(`small-${index}`, index * 100, 100));
  const joined = join(folder, 'joined.parquet');
  await writeParquet(connection, { from: 'parquet', sources: small, target: joined });
  expect((await readTokenIndex(joined))?.map((block) => block.rows)).toEqual([400]);
});

test('severe entries are apart in a file, so that a search for them reads few row groups', async () => {
  const { connection, folder, write } = await createFixture();
  const sources = [await write('one', 0, ROWS), await write('two', ROWS, ROWS)];
  const merged = join(folder, 'merged.parquet');
  await writeParquet(connection, { from: 'parquet', sources, target: merged });
  const { messages } = await ask(connection, [merged], 'severity>=ERROR', true);
  expect(messages).toHaveLength(90);
  expect(messages).toEqual(messages.toSorted());
  const statistics = async (column: string) => {
    const reader = await connection.runAndReadAll(
      `SELECT stats_min_value, stats_max_value FROM parquet_metadata('${merged}') WHERE path_in_schema = '${column}' ORDER BY row_group_id`,
    );
    return reader.getRows().map(([least, most]) => ({ least: String(least), most: String(most) }));
  };
  const isSevere = (await statistics('severity')).map(({ most }) => most === '5');
  expect(isSevere.filter(Boolean)).toHaveLength(1);
  const times = (await statistics('timestamp')).filter((_, group) => !isSevere[group]);
  expect(times.every(({ least }, group) => group === 0 || least > (times[group - 1]?.most ?? ''))).toBe(true);
});
