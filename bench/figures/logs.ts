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
  type SqlRunner,
} from '@berth/logstore';
import { type BareDuckDb, openBareDuckDb } from '../bare-duckdb.ts';
import { type BenchOptions, type BenchResult, type Figure, figure } from '../figure.ts';
import { generateLogLines, type LineTally } from '../log-lines.ts';
import { openLogStore } from '../open-log-store.ts';
import { insertLogLines, startVictoriaLogs, type VictoriaLogs } from '../peers/victoria-logs.ts';
import { processTree, residentMib } from '../process-tree.ts';
import { quantile } from '../statistics.ts';

const LINES = 10_000_000;
const ROUNDS = 11;
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
const PEER_SCAN =
  'user_id:* | stats by (user_id) count() as n, max(ms) as slowest | sort by (slowest desc, n desc) limit 10';
const BEGINNING = '1970-01-01T00:00:00Z';

/** A question to all three, and the times of their answers, which are checked. */
interface Question {
  readonly title: string;
  readonly ours: Work;
  /** To DuckDB alone, on the Parquet files. */
  readonly duckdb?: Work;
  readonly peer?: Work | undefined;
  readonly goals?: { readonly ours?: Goal; readonly duckdb?: Goal; readonly peer?: Goal };
}
type Work = () => Promise<unknown>;
type Goal = Parameters<typeof figure>[3];

/**
 * P9, P10: how fast lines go into a log and come out of a tail, and what filters and SQL over all of them take, beside
 * VictoriaLogs on the same lines, DuckDB on the bare Parquet files, and grep on the same text. Every answer is compared
 * with what was generated.
 */
export async function measureLogs({ isTenth, say }: BenchOptions): Promise<BenchResult> {
  const folder = await mkdtemp(path.join(tmpdir(), 'berth-bench-logs-'));
  const clock = createSystemClock();
  const logger = createSilentLogger();
  const { logs: store, close } = await openLogStore(folder, clock, { maxBytes: 16 * 2 ** 30 });
  const sql = createSqlRunner({
    clock,
    logger,
    async relationsOf(account, isExamined) {
      const snapshot = await store.snapshot(account, isExamined);
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
    await using peer = await startVictoriaLogs(folder);
    const insertion = peer && (await insertLogLines(peer, count));
    if (insertion) say(`VictoriaLogs: ${Math.round(count / (insertion.elapsedMs / 1_000))} lines/s`);
    // Files of its own: those of the log may still be joined.
    const parquet = await store.snapshot(SCOPE.account);
    say(`${parquet.files.length} Parquet files, ${Math.round(parquet.bytes / 2 ** 20)} MiB`);
    const bare = await openBareDuckDb(2);
    const memory = watchMemory([bare.pid, ...(peer ? [peer.pid] : [])]);
    const questions = await askAbout({ store, sql, tally, bare, files: parquet.files, peer });
    const answered = await takeTurns(questions, say);
    const searchedMib = memory.end();
    bare.close();
    parquet.release();
    const grepMs = await time(() => grep(text, '"user_id":"u-77"'));
    const jqMs = await jq(text);
    const tailMs = await measureTail(store);
    const answerMs = await measureAnswer(store);
    const storedRatio = peer && parquet.bytes / peer.storedBytes();
    return {
      figures: [
        figure('output of a program, parsed and kept', ingest.linesPerSecond, 'lines/s', {
          id: 'P9',
          atLeast: 100_000,
        }),
        figure('memory at its highest meanwhile', ingest.peakMib, 'MB'),
        ...(insertion
          ? [
              figure('VictoriaLogs: lines inserted', count / (insertion.elapsedMs / 1_000), 'lines/s'),
              figure('VictoriaLogs: memory at its highest meanwhile', insertion.peakMib, 'MB'),
            ]
          : []),
        figure('appended → in a tail, p95', quantile(tailMs, 0.95), 'ms', { id: 'P9', target: 100 }),
        figure('appended → in a filtered answer, p95', quantile(answerMs, 0.95), 'ms', { id: 'P9', target: 1_000 }),
        ...answered,
        figure('grep for the user in the same text', grepMs, 'ms'),
        ...(jqMs === undefined ? [] : [figure('jq for the same entries in the same text', jqMs, 'ms')]),
        figure(
          'memory at its highest, of the log engine and the SQL host, while searching',
          searchedMib.children,
          'MB',
          {
            target: 500,
          },
        ),
        figure(
          'memory of the process beside them, which wrote and reads the log and is the benchmark',
          searchedMib.own,
          'MB',
        ),
        ...(peer ? [figure('VictoriaLogs: memory after searching', peer.residentMib(), 'MB')] : []),
        figure('stored', parquet.bytes / 2 ** 20, 'MB'),
        ...(storedRatio === undefined ? [] : [figure('stored / VictoriaLogs', storedRatio, 'ratio', { target: 1.2 })]),
      ],
      notes: [
        `Lines are generated from a fixed seed; ${QUERY} fits ${tally.errorsOfUser} of ${count.toLocaleString('en')}, and all of them are answered.`,
        'The rare word is in one line. One round, which starts the engines, is not counted.',
        'SQL includes the list of segments, the hand-over to its process, the checks and the JSON of the answer; the engine is one that is kept, as is DuckDB beside it.',
        peer
          ? `VictoriaLogs ${peer.version}, its own settings. It is given JSON with the severity in it: making entries of text is in Berth's rate and not in its own. Its answers include HTTP on loopback.`
          : 'VictoriaLogs is not installed and was not measured: bench/README.md says how to.',
        'Loki is not measured: its module names replacements, and go install refuses those.',
      ],
    };
  } finally {
    await sql.close();
    await close();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Asked {
  readonly store: FileLogStore;
  readonly sql: SqlRunner;
  readonly tally: LineTally;
  readonly bare: BareDuckDb;
  readonly files: readonly string[];
  readonly peer: VictoriaLogs | undefined;
}

async function askAbout({ store, sql, tally, bare, files, peer }: Asked): Promise<readonly Question[]> {
  const table = `read_parquet([${files.map((file) => `'${file}'`).join(', ')}])`;
  const [first] = await store.read(SCOPE, { since: BEGINNING, limit: 1 });
  const small = smallQuery(first?.timestamp ?? BEGINNING);
  const word = tally.rareWord ?? '';
  const errors = Math.min(1_000, tally.errorsOfUser);
  const run = (query: string) => sql.run(SCOPE.account, query, NEVER);
  return [
    {
      title: 'filter by severity and a JSON field',
      ours: () => checkFilter(store, QUERY, errors),
      duckdb: () => bare.run(bareFilter(table)),
      peer: peer && (() => checkPeer(peer, 'severity:=ERROR user_id:="u-77"', errors)),
      goals: { ours: { id: 'P10', target: 90 } },
    },
    {
      title: 'search for a rare word',
      ours: () => checkFilter(store, `"${word}"`, 1),
      peer: peer && (() => checkPeer(peer, `"${word}"`, 1)),
      goals: { ours: { id: 'P10', target: 100 } },
    },
    {
      title: 'count by severity',
      ours: async () => checkGroups(JSON.parse(await run(GROUP_BY)), tally),
      duckdb: () => bare.run(bareGroup(table)),
      peer: peer && (async () => checkGroups(await peer.query('* | stats by (severity) count() as n'), tally)),
      goals: { duckdb: { id: 'P10', target: 1.2 }, peer: { id: 'P10', target: 1 } },
    },
    {
      title: 'slowest users by a field of JSON',
      ours: () => run(SCAN),
      duckdb: () => bare.run(bareScan(table)),
      peer: peer && (() => peer.query(PEER_SCAN)),
      goals: { duckdb: { id: 'P10', target: 1.2 } },
    },
    {
      title: 'errors of one service in 50 ms of its log, by SQL',
      ours: () => run(small),
      goals: { ours: { target: 15 } },
    },
  ];
}

/** Asks all questions of all sides, in turns. Returns the medians of ours, and the ratios to those of the others. */
async function takeTurns(questions: readonly Question[], say: (line: string) => void): Promise<Figure[]> {
  const sides = ['ours', 'duckdb', 'peer'] as const;
  const samples = new Map(
    questions.map((one) => [one, { ours: [], duckdb: [], peer: [] } as Record<string, number[]>]),
  );
  // One of each that is not counted: engines start, files are read for the first time.
  for (let round = -1; round < ROUNDS; round++) {
    for (const question of questions) {
      for (const side of sides) {
        const work = question[side];
        if (!work) continue;
        // What the one before left to do, such as freeing memory.
        await sleep(100);
        const ms = await time(work);
        if (round >= 0) samples.get(question)?.[side]?.push(ms);
        if (round >= 0 && side === 'ours') say(`round ${round + 1}: ${question.title}, ${Math.round(ms)} ms`);
      }
    }
  }
  return questions.flatMap((question) => {
    const median = (side: string) => quantile(samples.get(question)?.[side] ?? [], 0.5);
    const { title, goals } = question;
    const ratio = (side: 'duckdb' | 'peer', name: string) =>
      question[side]
        ? [
            figure(`${title}: ${name}`, median(side), 'ms'),
            figure(`${title}: Berth / ${name}`, median('ours') / median(side), 'ratio', goals?.[side]),
          ]
        : [];
    return [
      figure(`${title}, median`, median('ours'), 'ms', goals?.ours),
      ...ratio('duckdb', 'DuckDB on the files'),
      ...ratio('peer', 'VictoriaLogs'),
    ];
  });
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

async function checkFilter(store: FileLogStore, query: string, expected: number): Promise<void> {
  const filter = parseFilter(query);
  const entries = await store.read(SCOPE, { limit: 1_000, since: BEGINNING, ...(filter ? { filter } : {}) });
  if (entries.length !== expected) throw new Error(`the filter found ${entries.length} of ${expected} entries`);
}

async function checkPeer(peer: VictoriaLogs, query: string, expected: number): Promise<void> {
  const found = await peer.query(`${query} | sort by (_time) limit 1000`);
  if (found.length !== expected) throw new Error(`VictoriaLogs found ${found.length} of ${expected} entries`);
}

function checkGroups(groups: readonly Readonly<Record<string, unknown>>[], tally: LineTally): void {
  for (const { severity, n } of groups) {
    const expected = tally.severities[String(severity)];
    if (expected !== Number(n)) throw new Error(`counted ${n} of ${expected} ${severity}`);
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

/** The highest resident memory, in MiB, of what this process started, without some of it, and of this process. */
function watchMemory(leftOut: readonly number[]): { end(): { readonly children: number; readonly own: number } } {
  const peak = { children: 0, own: 0 };
  const timer = setInterval(() => {
    const [own = 0, ...children] = processTree(process.pid, (pid) => leftOut.includes(pid));
    peak.own = Math.max(peak.own, residentMib([own]));
    peak.children = Math.max(peak.children, residentMib(children));
  }, 100);
  return {
    end() {
      clearInterval(timer);
      return peak;
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

async function time(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}
