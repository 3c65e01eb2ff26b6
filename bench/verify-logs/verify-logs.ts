import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Client, createClient } from '@berth/client';
import type { Berth } from '../../tests/harness/berth.ts';
import { deployed } from '../../tests/harness/deploy.ts';
import { nodeProject } from '../../tests/harness/project-files.ts';
import { request } from '../../tests/harness/request.ts';
import type { BenchResult } from '../figure.ts';
import { residentMib } from '../process-tree.ts';
import { serverProcesses } from '../soak/leftovers.ts';
import { printPrograms } from './programs.ts';
import { FILTERS, ofDeployment, QUERIES, TAILED } from './questions.ts';

export interface VerifyLogsOptions {
  /** Where the service is deployed. */
  readonly berth: Berth;
  readonly lines: number;
  readonly say: (line: string) => void;
}

/** What was found. */
export interface VerifyLogsResult extends BenchResult {
  /** Answers that differ from those of the script, one sentence each. Empty: all are the same. */
  readonly faults: readonly string[];
}

/** An answer of entries: how many, and the digest of their messages in order. */
interface Answer {
  readonly count: number;
  readonly sha256: string;
}

interface Answers {
  readonly filters: Readonly<Record<string, Answer>>;
  readonly sql: Readonly<Record<string, unknown>>;
}

const NAME = 'verified';
const BEGINNING = '1970-01-01T00:00:00Z';
/** The last line is to be there this long after it was printed, however slow the machine. */
const PATIENCE_MS = 300_000;
const SAMPLE_MS = 250;

/** A service that prints all of it as fast as its pipe takes it, and answers the milliseconds it took. */
const SERVER = `
  import { once } from 'node:events';
  import { createServer } from 'node:http';
  import { printPrograms } from './verify-logs/programs.ts';
  createServer(async (request, response) => {
    const startedMs = performance.now();
    for (const chunk of printPrograms(Number(new URL(request.url, 'http://x').searchParams.get('lines')))) {
      if (!process.stdout.write(chunk)) await once(process.stdout, 'drain');
    }
    response.end(String(performance.now() - startedMs));
  }).listen(process.env.PORT, '0.0.0.0');
`;

/**
 * Lines of several programs go through a service's stdout at full speed, and what filters, tails and SQL answer is compared with the answers
 * of a Python script over the same text.
 */
export async function verifyLogs({ berth, lines, say }: VerifyLogsOptions): Promise<VerifyLogsResult> {
  const folder = await mkdtemp(path.join(tmpdir(), 'berth-verify-logs-'));
  try {
    const text = path.join(folder, 'lines.txt');
    await writeText(text, lines);
    const answers = await answersOf(text);
    const expected = (name: string): Answer =>
      answers.filters[name] ?? { count: -1, sha256: 'the script has no answer' };
    say(`${expected('all').count} entries in ${lines} lines; asking the platform`);
    const client = createClient({ baseUrl: berth.url, credential: { apiKey: berth.key } });
    await deployed(berth, NAME, { files: await project(), fields: { timeout: '3600' } });

    const faults: string[] = [];
    const compare = (what: string, name: string, found: Answer) => {
      const wanted = expected(name);
      if (found.count !== wanted.count) faults.push(`${what} "${name}": ${found.count} entries, not ${wanted.count}`);
      else if (found.sha256 !== wanted.sha256) faults.push(`${what} "${name}": other messages, or in another order`);
    };
    const memory = watchMemory(berth);
    const tails = TAILED.map((name) => follow(client, FILTERS[name] ?? '', expected(name).count));
    const startedMs = performance.now();
    const printMs = Number((await request(berth, NAME, `/?lines=${lines}`)).text);
    say(`printed in ${Math.round(printMs)} ms`);
    for (const [index, tail] of (await Promise.all(tails)).entries()) compare('tail', TAILED[index] ?? '', tail);
    const tailedMs = performance.now() - startedMs;
    say(`in every tail after ${Math.round(tailedMs)} ms`);

    const filterMs: number[] = [];
    for (const [name, query] of Object.entries(FILTERS)) {
      const askedMs = performance.now();
      compare('filter', name, await readAll(client, query));
      if (name !== 'all') filterMs.push(performance.now() - askedMs);
      say(`filter "${name}": ${expected(name).count} entries, ${Math.round(performance.now() - askedMs)} ms`);
    }
    const sqlMs: number[] = [];
    for (const [name, query] of Object.entries(QUERIES)) {
      const askedMs = performance.now();
      const found = JSON.stringify(await client.post('/v1/sql', { body: { query: ofDeployment(query, NAME) } }));
      sqlMs.push(performance.now() - askedMs);
      const wanted = JSON.stringify(answers.sql[name]);
      if (found !== wanted) faults.push(`SQL "${name}": ${cut(found)}, not ${cut(wanted)}`);
      say(`SQL "${name}": ${Math.round(sqlMs.at(-1) ?? 0)} ms`);
    }
    const { peakMib, endMib } = memory.stop();
    const whole = (value: number) => Math.round(value);
    return {
      faults,
      figures: [
        { title: 'printed by the service', value: whole(lines / (printMs / 1_000)), unit: 'lines/s' },
        { title: 'printed and in five tails', value: whole(lines / (tailedMs / 1_000)), unit: 'lines/s' },
        { title: 'slowest filter, all of its pages', value: whole(Math.max(...filterMs)), unit: 'ms' },
        { title: 'slowest query', value: whole(Math.max(...sqlMs)), unit: 'ms' },
        { title: 'memory of the server, highest', value: whole(peakMib), unit: 'MB' },
        { title: 'memory of the server, at the end', value: whole(endMib), unit: 'MB' },
      ],
      notes: [
        `${lines} lines, ${expected('all').count} entries of six programs; ${Object.keys(FILTERS).length} filters, ${TAILED.length} tails, ${Object.keys(QUERIES).length} queries.`,
        faults.length === 0 ? 'Every answer is that of the script.' : `${faults.length} answers differ.`,
      ],
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeText(file: string, lines: number): Promise<void> {
  const stream = createWriteStream(file);
  for (const chunk of printPrograms(lines)) if (!stream.write(chunk)) await once(stream, 'drain');
  stream.end();
  await once(stream, 'close');
}

async function answersOf(text: string): Promise<Answers> {
  const script = path.join(import.meta.dirname, 'answers.py');
  const { stdout } = await promisify(execFile)('python3', [script, text], { maxBuffer: 2 ** 26 });
  return JSON.parse(stdout) as Answers;
}

async function project() {
  const source = async (name: string) => readFile(path.join(import.meta.dirname, '..', name));
  return nodeProject(SERVER, {
    'verify-logs/programs.ts': await source('verify-logs/programs.ts'),
    'create-random.ts': await source('create-random.ts'),
  });
}

/** What the service printed, of what fits. */
const printed = (query: string) => (query === '' ? 'logName=stdout' : `logName=stdout AND (${query})`);

async function readAll(client: Client, query: string): Promise<Answer> {
  const digest = createDigest();
  for (let since = BEGINNING; ; ) {
    const page = await client.post('/v1/deployment/logs', {
      body: { deployment_name: NAME, since, limit: 1_000, query: printed(query) },
    });
    for (const { message } of page.logs) digest.add(message);
    if (page.logs.length === 0) return digest.answer();
    since = page.cursor ?? since;
  }
}

/** Follows until there are so many, or nothing has come for a long time. */
async function follow(client: Client, query: string, count: number): Promise<Answer> {
  const digest = createDigest();
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(), PATIENCE_MS);
  try {
    for await (const { message } of client.tailLogs(NAME, {
      since: BEGINNING,
      query: printed(query),
      signal: end.signal,
    })) {
      digest.add(message);
      if (digest.answer().count >= count) break;
      timer.refresh();
    }
  } catch (error) {
    if (!end.signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
  }
  return digest.answer();
}

function createDigest() {
  const hash = createHash('sha256');
  let count = 0;
  return {
    add(message: string) {
      count++;
      hash.update(message).update('\0');
    },
    answer: (): Answer => ({ count, sha256: hash.copy().digest('hex') }),
  };
}

function watchMemory(berth: Berth) {
  let peakMib = 0;
  const read = () => residentMib(serverProcesses(berth.pid));
  const timer = setInterval(() => {
    peakMib = Math.max(peakMib, read());
  }, SAMPLE_MS);
  return {
    stop() {
      clearInterval(timer);
      return { peakMib, endMib: read() };
    },
  };
}

const SHOWN_CHARACTERS = 300;

function cut(text: string | undefined): string {
  return text === undefined || text.length <= SHOWN_CHARACTERS ? String(text) : `${text.slice(0, SHOWN_CHARACTERS)}…`;
}
