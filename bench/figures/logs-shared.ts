import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createBlockTable } from '@berth/control';
import { openLogDatabase } from '@berth/database';
import { findPostgres, NO_POSTGRES, startPostgres } from '@berth/database/testing';
import { createSilentLogger, createSystemClock } from '@berth/kit';
import {
  createBlockLogStore,
  createLogEngine,
  createOutputParser,
  type FileLogStore,
  type LogScope,
  parseFilter,
} from '@berth/logstore';
import { createFsObjectStore } from '@berth/object-store/fs';
import { type BenchOptions, type BenchResult, type Figure, figure } from '../figure.ts';
import { generateLogLines, type LineTally } from '../log-lines.ts';
import { openLogStore } from '../open-log-store.ts';
import { quantile, roundTo } from '../statistics.ts';

const LINES = 2_000_000;
const ROUNDS = 10;
const TAIL_ENTRIES = 50;
const SCOPE: LogScope = { account: 'acct_bench', deployment: 'shop' };
const QUERY = 'severity>=ERROR AND jsonPayload.user_id="u-77"';
const BEGINNING = '1970-01-01T00:00:00Z';
const MAX_BYTES = 16 * 2 ** 30;

/** A driver, as one server writes to it and another one reads it. */
interface Driver {
  readonly name: string;
  readonly writer: FileLogStore;
  readonly reader: FileLogStore;
  close(): Promise<void>;
}

/** What was measured of a driver, in the order of the table. */
interface Measured {
  readonly linesPerSecond: number;
  readonly tailMs: number;
  readonly newestMs: number;
  readonly filterMs: number;
  readonly countMs: number;
}

/** Logs on files and in a log database beside each other: appends, tails and reads of the same lines. */
export async function measureSharedLogs({ isTenth, say }: BenchOptions): Promise<BenchResult> {
  const count = isTenth ? LINES / 10 : LINES;
  const folder = await mkdtemp(path.join(tmpdir(), 'berth-bench-shared-logs-'));
  try {
    const files = await measure(await openFiles(folder), count, say);
    const blocks = await measure(await openBlocks(folder), count, say);
    const rows = (unit: Figure['unit'], title: string, of: (one: Measured) => number, goal: object = {}) => [
      figure(`files: ${title}`, of(files), unit),
      figure(`blocks: ${title}`, of(blocks), unit, goal),
      figure(`blocks / files: ${title}`, roundTo(of(blocks) / of(files), 3), 'ratio'),
    ];
    return {
      figures: [
        ...rows('lines/s', 'output of a program, parsed and kept', (one) => one.linesPerSecond, { atLeast: 50_000 }),
        ...rows('ms', 'appended → in a tail, p95', (one) => one.tailMs, { target: 250 }),
        ...rows('ms', 'newest 100 entries, median', (one) => one.newestMs),
        ...rows('ms', `filter over ${count.toLocaleString('en')} lines, median`, (one) => one.filterMs),
        ...rows('ms', 'count by severity, median', (one) => one.countMs),
      ],
      notes: [
        'Blocks are appended by one store and read by another, as on two servers; files have one store for both.',
        'Postgres runs on the same machine, with the settings of its package, and syncs every commit.',
      ],
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function openFiles(folder: string): Promise<Driver> {
  const { logs, close } = await openLogStore(path.join(folder, 'files'), createSystemClock(), { maxBytes: MAX_BYTES });
  return { name: 'files', writer: logs, reader: logs, close };
}

async function openBlocks(folder: string): Promise<Driver> {
  const programs = findPostgres();
  if (!programs) throw new Error(NO_POSTGRES);
  const server = await startPostgres(programs, true);
  const clock = createSystemClock();
  const logger = createSilentLogger();
  const store = createFsObjectStore({ folder: path.join(folder, 'objects'), clock });
  const open = async (name: string) => {
    const { db, notices, close } = await openLogDatabase({ url: server.url });
    const logs = createBlockLogStore({
      ...{ table: createBlockTable(db), notices, clock, logger },
      workFolder: path.join(folder, name),
      limits: { maxBytes: MAX_BYTES },
      parquet: { engine: createLogEngine({ clock, logger }), store },
    });
    return { logs, close: () => logs.close().then(close) };
  };
  const [writer, reader] = [await open('writer'), await open('reader')];
  return {
    ...{ name: 'blocks', writer: writer.logs, reader: reader.logs },
    async close() {
      await writer.close();
      await reader.close();
      await store.close();
      await server.close();
    },
  };
}

async function measure(driver: Driver, count: number, say: BenchOptions['say']): Promise<Measured> {
  const { name, writer, reader } = driver;
  try {
    const tally: LineTally = { errorsOfUser: 0, severities: {} };
    const parser = createOutputParser({
      clock: createSystemClock(),
      revision: 'shop-00001',
      instance: 'i',
      onQuiet() {},
    });
    const appendMs = await time(async () => {
      for (const chunk of generateLogLines(count, tally)) {
        await writer.append(SCOPE, parser.push('stdout', Buffer.from(chunk)));
      }
      await writer.append(SCOPE, parser.end());
      await writer.flush();
    });
    const linesPerSecond = count / (appendMs / 1_000);
    say(`${name}: ${Math.round(linesPerSecond)} lines/s`);
    const span = { fromMs: 0, untilMs: 8e15, buckets: 1, budgetMs: 60_000 };
    const total = async () => {
      const { buckets } = await reader.count(SCOPE, span);
      return Object.values(buckets[0] ?? {}).reduce((sum, entries) => sum + entries, 0);
    };
    if ((await total()) !== count) throw new Error(`${name} kept ${await total()} of ${count} lines`);
    const newestMs = await median(() => reader.read(SCOPE, { limit: 100 }));
    const filter = parseFilter(QUERY);
    const filterMs = await median(async () => {
      const entries = await reader.read(SCOPE, { limit: 1_000, since: BEGINNING, ...(filter ? { filter } : {}) });
      const expected = Math.min(1_000, tally.errorsOfUser);
      if (entries.length !== expected) throw new Error(`${name} found ${entries.length} of ${expected} entries`);
    });
    const countMs = await median(total);
    const tailMs = quantile(await measureTail(writer, reader), 0.95);
    return { linesPerSecond, tailMs, newestMs, filterMs, countMs };
  } finally {
    await driver.close();
  }
}

/** From an append to the entry in a tail. */
async function measureTail(writer: FileLogStore, reader: FileLogStore): Promise<number[]> {
  const end = new AbortController();
  const tail = reader.tail(SCOPE, { signal: end.signal })[Symbol.asyncIterator]();
  await reader.read(SCOPE, { limit: 1 });
  const lagsMs: number[] = [];
  for (let index = 0; index < TAIL_ENTRIES; index++) {
    const next = tail.next();
    lagsMs.push(
      await time(async () => {
        await writer.append(SCOPE, [{ logName: 'stdout', severity: 'INFO', message: `tail ${index}` }]);
        await next;
      }),
    );
    await sleep(10);
  }
  end.abort();
  return lagsMs;
}

async function median(work: () => Promise<unknown>): Promise<number> {
  const measuredMs: number[] = [];
  // The first one, which starts the engine, is not counted.
  await work();
  for (let round = 0; round < ROUNDS; round++) measuredMs.push(await time(work));
  return quantile(measuredMs, 0.5);
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}
