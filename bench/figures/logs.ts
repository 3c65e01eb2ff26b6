import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSilentLogger, createSystemClock } from '@berth/kit';
import {
  createOutputParser,
  createSqlRunner,
  type FileLogStore,
  type LogScope,
  logsRelation,
  parseFilter,
} from '@berth/logstore';
import { openBareDuckDb } from '../bare-duckdb.ts';
import { type BenchOptions, type BenchResult, figure } from '../figure.ts';
import { generateLogLines, type LineTally } from '../log-lines.ts';
import { openLogStore } from '../open-log-store.ts';
import { processTree, residentMib } from '../process-tree.ts';
import { quantile, roundTo } from '../statistics.ts';

const LINES = 10_000_000;
const ROUNDS = 5;
const TAIL_ENTRIES = 100;
const SCOPE: LogScope = { account: 'acct_bench', deployment: 'shop' };
const QUERY = 'severity>=ERROR AND jsonPayload.user_id="u-77"';
const GROUP_BY = 'SELECT severity, COUNT(*) AS n FROM logs GROUP BY severity ORDER BY n DESC';
const SCAN = `SELECT json_payload.user_id AS user, COUNT(*) AS n, MAX(json_payload.ms) AS slowest
FROM logs WHERE json_payload IS NOT NULL GROUP BY 1 ORDER BY slowest DESC, n DESC LIMIT 10`;
/** The errors of one service in the first 50 ms of its log: some thousand lines. */
function smallQuery(first: string): string {
  const until = new Date(Date.parse(first) + 50).toISOString();
  return `SELECT COUNT(*) AS n FROM logs
WHERE timestamp BETWEEN '${first}' AND '${until}' AND resource.labels.service_name = 'shop' AND severity = 'ERROR'`;
}
const BEGINNING = '1970-01-01T00:00:00Z';

/**
 * P9, P10: how fast lines go into a log and come out of a tail, and what a filter and SQL over all of them take, beside
 * DuckDB on the bare Parquet files and grep on the same text. Every answer is compared with what was generated.
 */
export async function measureLogs({ isTenth, say }: BenchOptions): Promise<BenchResult> {
  const folder = await mkdtemp(path.join(tmpdir(), 'berth-bench-logs-'));
  const clock = createSystemClock();
  const logger = createSilentLogger();
  const { logs: store, close } = await openLogStore(folder, clock, { maxBytes: 16 * 2 ** 30 });
  const sql = createSqlRunner({
    clock,
    logger,
    async relationsOf(account) {
      const snapshot = await store.snapshot(account);
      const { folders: allowedFolders, bytes, release } = snapshot;
      return { setUp: [logsRelation(snapshot)], allowedFolders, bytes, release };
    },
  });
  try {
    const count = isTenth ? LINES / 10 : LINES;
    const text = path.join(folder, 'lines.txt');
    const tally: LineTally = { errorsOfUser: 0, severities: {} };
    await writeText(text, count, tally);
    const ingest = await ingestLines(store, count);
    say(`ingest: ${Math.round(ingest.linesPerSecond)} lines/s, ${Math.round(ingest.peakMib)} MiB`);
    await waitForParquet(path.join(folder, 'logs', SCOPE.account, SCOPE.deployment));
    // Files of its own: those of the log may still be joined.
    const parquet = await store.snapshot(SCOPE.account);
    say(`${parquet.files.length} Parquet files, ${Math.round(parquet.bytes / 2 ** 20)} MiB`);

    const filterMs: number[] = [];
    const bareFilterMs: number[] = [];
    const groupMs: number[] = [];
    const bareGroupMs: number[] = [];
    const scanMs: number[] = [];
    const bareScanMs: number[] = [];
    const smallMs: number[] = [];
    const bare = await openBareDuckDb(2);
    const table = `read_parquet([${parquet.files.map((file) => `'${file}'`).join(', ')}])`;
    const memory = watchMemory(bare.pid);
    const [first] = await store.read(SCOPE, { since: BEGINNING, limit: 1 });
    const small = smallQuery(first?.timestamp ?? BEGINNING);
    // One of each that is not counted: engines start, files are read for the first time.
    for (let round = -1; round < ROUNDS; round++) {
      const [ours, theirs] = [
        [
          await time(() => checkFilter(store, tally)),
          await time(async () => checkGroups(await sql.run(SCOPE.account, GROUP_BY, NEVER), tally)),
          await time(async () => void (await sql.run(SCOPE.account, SCAN, NEVER))),
          await time(async () => void (await sql.run(SCOPE.account, small, NEVER))),
        ] as const,
        [await bare.run(bareFilter(table)), await bare.run(bareGroup(table)), await bare.run(bareScan(table))] as const,
      ];
      if (round < 0) continue;
      filterMs.push(ours[0]);
      groupMs.push(ours[1]);
      scanMs.push(ours[2]);
      smallMs.push(ours[3]);
      bareFilterMs.push(theirs[0]);
      bareGroupMs.push(theirs[1]);
      bareScanMs.push(theirs[2]);
      say(
        `round ${round + 1}: filter ${Math.round(filterMs.at(-1) ?? 0)} ms, SQL ${Math.round(groupMs.at(-1) ?? 0)} ms`,
      );
    }
    const searchedMib = memory.end();
    bare.close();
    parquet.release();
    const grepMs = await time(() => grep(text, '"user_id":"u-77"'));
    const jqMs = await jq(text);
    const tailMs = await measureTail(store);
    const answerMs = await measureAnswer(store);
    const median = (values: readonly number[]) => quantile(values, 0.5);
    const ratio = (ours: readonly number[], theirs: readonly number[]) => roundTo(median(ours) / median(theirs), 2);
    const ms = (title: string, value: number, target?: number, id?: string) => ({
      title,
      value: Math.round(value),
      unit: 'ms' as const,
      ...(target === undefined ? {} : { target }),
      ...(id === undefined ? {} : { id }),
    });
    return {
      figures: [
        figure('output of a program, parsed and kept', ingest.linesPerSecond, 'lines/s', {
          id: 'P9',
          atLeast: 100_000,
        }),
        figure('resident memory at its highest meanwhile', ingest.peakMib, 'MB'),
        ms('appended → in a tail, p95', quantile(tailMs, 0.95), 100, 'P9'),
        ms('appended → in a filtered answer, p95', quantile(answerMs, 0.95), 1_000, 'P9'),
        ms(`filter over ${count.toLocaleString('en')} lines, median`, median(filterMs), 300, 'P10'),
        figure('filter / the same by DuckDB on the files', ratio(filterMs, bareFilterMs), 'ratio'),
        ms('grep for the user in the same text', grepMs),
        ...(jqMs === undefined ? [] : [ms('jq for the same entries in the same text', jqMs)]),
        figure('resident memory at its highest, of all processes, while searching', searchedMib, 'MB'),
        ms('SQL: the errors of one service in 50 ms of its log, median', median(smallMs), 15),
        ms('SQL: group by severity, median', median(groupMs)),
        figure('SQL / the same by DuckDB on the files', ratio(groupMs, bareGroupMs), 'ratio', {
          id: 'P10',
          target: 1.2,
        }),
        ms('SQL: slowest users by a field of JSON, median', median(scanMs)),
        figure('SQL / the same by DuckDB on the files', ratio(scanMs, bareScanMs), 'ratio', { id: 'P10', target: 1.2 }),
      ],
      notes: [
        `Lines are generated from a fixed seed; ${QUERY} fits ${tally.errorsOfUser} of them, and all of them are answered.`,
        `Parquet: ${Math.round(parquet.bytes / 2 ** 20)} MiB. One round, which starts the engines, is not counted.`,
        'SQL includes the list of segments, the hand-over to its process, the checks and the JSON of the answer; the engine is one that is kept, as is DuckDB beside it.',
        'VictoriaLogs over the same lines: the bench logs-peer. Loki is not measured: its module names replacements, and go install refuses those.',
      ],
    };
  } finally {
    await sql.close();
    await close();
    await rm(folder, { recursive: true, force: true });
  }
}

const NEVER = new AbortController().signal;

async function writeText(file: string, count: number, tally: LineTally): Promise<void> {
  const stream = createWriteStream(file);
  for (const chunk of generateLogLines(count, tally)) if (!stream.write(chunk)) await once(stream, 'drain');
  stream.end();
  await once(stream, 'close');
}

async function ingestLines(store: FileLogStore, count: number): Promise<{ linesPerSecond: number; peakMib: number }> {
  const parser = createOutputParser({
    clock: createSystemClock(),
    revision: 'shop-00001',
    instance: 'i',
    onQuiet() {},
  });
  let peakMib = 0;
  const elapsedMs = await time(async () => {
    for (const chunk of generateLogLines(count, { errorsOfUser: 0, severities: {} })) {
      await store.append(SCOPE, parser.push('stdout', Buffer.from(chunk)));
      peakMib = Math.max(peakMib, process.memoryUsage.rss() / 2 ** 20);
    }
    await store.append(SCOPE, parser.end());
    await store.flush();
  });
  return { linesPerSecond: count / (elapsedMs / 1_000), peakMib };
}

/** Until what is full is in Parquet, and nothing changes for a while. */
async function waitForParquet(folder: string): Promise<void> {
  for (let before = ''; ; ) {
    const names = await readdir(folder);
    if (names.filter((name) => name.endsWith('.log')).length <= 1 && names.join() === before) return;
    before = names.join();
    await sleep(2_000);
  }
}

async function checkFilter(store: FileLogStore, tally: LineTally): Promise<void> {
  const filter = parseFilter(QUERY);
  const entries = await store.read(SCOPE, { limit: 1_000, since: BEGINNING, ...(filter ? { filter } : {}) });
  const expected = Math.min(1_000, tally.errorsOfUser);
  if (entries.length !== expected) throw new Error(`the filter found ${entries.length} of ${expected} entries`);
}

function checkGroups(json: string, tally: LineTally): void {
  for (const { severity, n } of JSON.parse(json) as { severity: string; n: number }[]) {
    if (tally.severities[severity] !== n)
      throw new Error(`SQL counted ${n} of ${tally.severities[severity]} ${severity}`);
  }
}

const bareFilter = (table: string) =>
  `SELECT * FROM ${table} WHERE severity >= 5 AND json_extract_string(json_payload, '/user_id') = 'u-77'
  ORDER BY timestamp LIMIT 1000`;
const bareGroup = (table: string) =>
  `SELECT severity_name, count(*) AS n FROM ${table} GROUP BY severity_name ORDER BY n DESC`;
const bareScan = (table: string) =>
  `SELECT json_extract_string(json_payload, '$.user_id') AS user, count(*) AS n, max(json_extract_string(json_payload, '$.ms')::DOUBLE) AS slowest
  FROM ${table} WHERE json_payload IS NOT NULL GROUP BY 1 ORDER BY slowest DESC, n DESC LIMIT 10`;

/** Milliseconds; undefined where there is no jq. Lines that are no JSON are passed over. */
async function jq(file: string): Promise<number | undefined> {
  const query = 'fromjson? | select(.severity? == "ERROR" and .user_id? == "u-77")';
  const startedMs = performance.now();
  const child = spawn('jq', ['-cR', query, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.resume();
  const isThere = await once(child, 'exit').then(
    () => true,
    () => false,
  );
  return isThere ? performance.now() - startedMs : undefined;
}

/** The highest resident memory of this process and what it started, without one of those. */
function watchMemory(leftOut: number): { end(): number } {
  let peakMib = 0;
  const timer = setInterval(() => {
    peakMib = Math.max(peakMib, residentMib(processTree(process.pid, (pid) => pid === leftOut)));
  }, 100);
  return {
    end() {
      clearInterval(timer);
      return peakMib;
    },
  };
}

async function grep(file: string, text: string): Promise<void> {
  // Into a pipe: into nothing grep would end at the first match.
  const child = spawn('grep', ['-cF', text, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.resume();
  await once(child, 'exit');
}

/** From an append to the entry in a tail. */
async function measureTail(store: FileLogStore): Promise<number[]> {
  const end = new AbortController();
  const tail = store.tail(SCOPE, { signal: end.signal })[Symbol.asyncIterator]();
  const lagsMs: number[] = [];
  for (let index = 0; index < TAIL_ENTRIES; index++) {
    const next = tail.next();
    lagsMs.push(
      await time(async () => {
        await store.append(SCOPE, [{ logName: 'stdout', severity: 'INFO', message: `tail ${index}` }]);
        await next;
      }),
    );
    await sleep(10);
  }
  end.abort();
  return lagsMs;
}

/** From an append to a filtered answer that has it. */
async function measureAnswer(store: FileLogStore): Promise<number[]> {
  const lagsMs: number[] = [];
  for (let index = 0; index < ROUNDS; index++) {
    const filter = parseFilter(`"answer number ${index}"`);
    lagsMs.push(
      await time(async () => {
        await store.append(SCOPE, [{ logName: 'stdout', severity: 'INFO', message: `answer number ${index}.` }]);
        const entries = await store.read(SCOPE, { limit: 1, ...(filter ? { filter } : {}) });
        if (entries.length !== 1) throw new Error('an entry is not in the answer to its filter');
      }),
    );
  }
  return lagsMs;
}

async function time(work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}
