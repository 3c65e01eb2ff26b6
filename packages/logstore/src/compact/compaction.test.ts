import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSilentLogger, createSystemClock } from '@berth/kit';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, onTestFinished, test } from 'vitest';
import { describeLogStore } from '../contract/index.ts';
import { createFileLogStore } from '../create-file-log-store.ts';
import type { LogInput, StoredEntry } from '../entry/log-entry.ts';
import { encodeBody, encodeLine } from '../lines/record-line.ts';
import { createLogEngine, type LogEngine } from '../processes/log-engine/create-log-engine.ts';
import type { LogFilter } from '../query/filter/log-filter.ts';
import { parseFilter } from '../query/filter/parse-filter.ts';
import { createTemporaryStore, printed, SCOPE, type TemporaryStore } from '../testing/temporary-store.ts';

const BEGINNING = '1970-01-01T00:00:00Z';

function createEngine(): LogEngine {
  return createLogEngine({ clock: createSystemClock(), logger: createSilentLogger(), threads: 1 });
}

/** A store that starts a new segment every few entries. */
async function createRollingStore(limits = {}): Promise<TemporaryStore> {
  return createTemporaryStore({ limits: { segmentBytes: 2_000, ...limits }, createEngine });
}

async function kinds(temporary: TemporaryStore): Promise<{ lines: number; parquet: number; other: number }> {
  const names = await readdir(temporary.logFolder);
  const lines = names.filter((name) => name.endsWith('.log')).length;
  const parquet = names.filter((name) => name.endsWith('.parquet')).length;
  return { lines, parquet, other: names.length - lines - parquet };
}

/** Waits until every full segment is in Parquet. */
async function compacted(temporary: TemporaryStore): Promise<void> {
  await expect.poll(() => kinds(temporary), { timeout: 20_000 }).toMatchObject({ lines: 1, other: 0 });
}

async function readAll(temporary: TemporaryStore, filter?: LogFilter, limit = 1000): Promise<StoredEntry[]> {
  const all: StoredEntry[] = [];
  for (let since = BEGINNING; ; since = all.at(-1)?.timestamp ?? since) {
    const page = await temporary.store.read(SCOPE, { since, limit, ...(filter ? { filter } : {}) });
    if (page.length === 0) return all;
    all.push(...page);
  }
}

/** Ids of the engines that a process started. */
async function enginesOf(parent: number): Promise<number[]> {
  const children = await readFile(`/proc/${parent}/task/${parent}/children`, 'utf8').catch(() => '');
  const pids = children.split(' ').filter((pid) => pid !== '');
  const isEngine = async (pid: string) =>
    (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).includes('engine-main');
  const engines = await Promise.all(pids.map(async (pid) => ((await isEngine(pid)) ? [Number(pid)] : [])));
  return engines.flat();
}

const FULL: LogInput = {
  logName: 'requests',
  severity: 'ERROR',
  message: 'GET /x 500 — "ü" \u2028 \n \0 \\ud800',
  jsonPayload: { a: { b: [1, null, 'x\ny', 1.5e-7] }, empty: {}, 'k"\\': true, half: '\\ud83d "' },
  httpRequest: {
    method: 'GET',
    url: '/x?y',
    status: 500,
    latencyMs: 1.5,
    requestSize: 1,
    responseSize: 2 ** 40,
    remoteIp: '::1',
    userAgent: 'curl',
    protocol: 'HTTP/1.1',
    coldStart: { spawnedMs: 3.25 },
    resume: { resumedMs: 0.5 },
  },
  revision: 'r1',
  instance: 'i1',
  trace: '0af7651916cd43dd8448eb211c80319c',
  labels: { 'k.k': 'v' },
};

describeLogStore('files that become Parquet', () => {
  const made: TemporaryStore[] = [];
  return {
    isDurable: true,
    async open(clock) {
      const first = made[0];
      if (first) return first.reopenWith(clock);
      const temporary = await createTemporaryStore({ limits: { segmentBytes: 1_500 }, createEngine });
      made.push(temporary);
      await temporary.store.close();
      return temporary.reopenWith(clock);
    },
    async dispose() {
      for (const temporary of made) await temporary[Symbol.asyncDispose]();
    },
  };
});

test('entries are the same in Parquet as in lines, and stay so when files are joined', {
  timeout: 60_000,
}, async () => {
  await using temporary = await createRollingStore({ segmentBytes: 10_000 });
  for (let index = 0; index < 100; index++) {
    await temporary.store.append(SCOPE, [
      ...printed(`m${index} ${'x'.repeat(300)}`),
      { ...FULL, message: `f${index}` },
      FULL,
    ]);
    await temporary.store.flush();
  }
  const before = await readAll(temporary);
  expect(before).toHaveLength(300);
  await compacted(temporary);
  await expect.poll(async () => (await kinds(temporary)).parquet, { timeout: 20_000 }).toBeLessThan(8);
  const after = await readAll(temporary);
  expect(after).toEqual(before);
  const { timestamp: _, insertId: __, ...fields } = after[2] as StoredEntry;
  expect(fields).toEqual(FULL);
  expect(await temporary.store.read(SCOPE, { limit: 7 })).toEqual(before.slice(-7));
  // Fails when a time before those that DuckDB's nanoseconds can represent is compared with them.
  expect(await temporary.store.read(SCOPE, { limit: 1, since: '0001-01-01T00:00:00Z' })).toEqual([before[0]]);
  await temporary.store.close();
  temporary.reopen();
  expect(await readAll(temporary, undefined, 13)).toEqual(before);
});

test('filters answer the same over both', { timeout: 60_000 }, async () => {
  await using temporary = await createRollingStore();
  for (let n = 0; n < 400; n++) {
    const severity = n % 50 === 0 ? 'ERROR' : 'INFO';
    await temporary.store.append(SCOPE, [
      { logName: 'stdout', severity, message: `n${n}`, jsonPayload: { n, user: `u${n % 7}` } },
    ]);
    if (n % 5 === 0) await temporary.store.flush();
  }
  await compacted(temporary);
  const numbers = async (query: string, options: { limit?: number; since?: string } = {}) => {
    const filter = parseFilter(query) as LogFilter;
    return (await temporary.store.read(SCOPE, { limit: 1000, ...options, filter })).map((entry) =>
      Number(entry.message.slice(1)),
    );
  };
  expect(await numbers('severity>=ERROR')).toEqual([0, 50, 100, 150, 200, 250, 300, 350]);
  expect(await numbers('severity>=ERROR', { limit: 3 })).toEqual([250, 300, 350]);
  expect(await numbers('severity>=ERROR', { limit: 3, since: BEGINNING })).toEqual([0, 50, 100]);
  expect(await numbers('severity>=ERROR AND jsonPayload.user="U1"')).toEqual([50]);
  expect(await numbers('jsonPayload.n>=397')).toEqual([397, 398, 399]);
  expect(await numbers('n39')).toEqual([39, 390, 391, 392, 393, 394, 395, 396, 397, 398, 399]);
  expect(await numbers("'; DROP TABLE x; --".replaceAll("'", ''))).toEqual([]);
  const all = await readAll(temporary);
  expect(await numbers(`insertId="${all[123]?.insertId}"`)).toEqual([123]);
  const since = all[260]?.timestamp ?? '';
  expect(await numbers('severity>=ERROR', { limit: 1, since })).toEqual([300]);
});

test('what a crash left of a compaction is put right when the log is opened', { timeout: 60_000 }, async () => {
  await using temporary = await createRollingStore();
  await temporary.store.close();
  const lines = createFileLogStore({
    folder: temporary.folder,
    clock: temporary.clock,
    logger: createSilentLogger(),
    limits: { segmentBytes: 2_000 },
  });
  for (let n = 0; n < 40; n++) {
    await lines.append(SCOPE, printed(`${n} ${'x'.repeat(200)}`));
    await lines.flush();
  }
  const before = await lines.read(SCOPE, { limit: 1000 });
  await lines.close();
  const copy = join(temporary.folder, 'copy');
  await cp(temporary.logFolder, copy, { recursive: true });
  temporary.reopen();
  await readAll(temporary);
  await compacted(temporary);
  await temporary.store.close();
  const after = await kinds(temporary);
  // Killed after the Parquet file got its name, before the lines went; and while another was being written.
  await cp(copy, temporary.logFolder, { recursive: true });
  await mkdir(join(temporary.logFolder, 'tmp-abc'));
  await writeFile(join(temporary.logFolder, 'tmp-abc', 'columns.parquet'), 'half');
  temporary.reopen();
  expect(await readAll(temporary)).toEqual(before);
  expect(await kinds(temporary)).toEqual(after);
});

test('an engine that dies is started again; nothing is lost', { timeout: 60_000 }, async () => {
  await using temporary = await createRollingStore({ segmentBytes: 20_000 });
  for (let round = 0; round < 8; round++) {
    await temporary.store.append(
      SCOPE,
      printed(...Array.from({ length: 50 }, (_, n) => `${round * 50 + n} ${'x'.repeat(300)}`)),
    );
    await temporary.store.flush();
    for (const pid of await enginesOf(process.pid)) process.kill(pid, 'SIGKILL');
  }
  const entries = await readAll(temporary);
  expect(entries.map((entry) => Number.parseInt(entry.message, 10))).toEqual(Array.from({ length: 400 }, (_, n) => n));
});

test('a search that takes too long is ended, and says so', { timeout: 60_000 }, async () => {
  await using temporary = await createRollingStore();
  for (let n = 0; n < 20; n++) {
    await temporary.store.append(SCOPE, printed(`${n} ${'x'.repeat(300)}`));
    await temporary.store.flush();
  }
  await compacted(temporary);
  const folder = temporary.logFolder;
  const files = (await readdir(folder)).filter((name) => name.endsWith('.parquet')).map((name) => join(folder, name));
  const clock = createSystemClock();
  // Less than its process takes to start.
  const engine = createLogEngine({ clock, logger: createSilentLogger(), selectTimeoutMs: 1 });
  onTestFinished(() => engine.close());
  const request = {
    files: files.map((path) => ({ path, startsAt: '0', endsAt: '9' })),
    names: { deployment: 'shop', scopeTag: 't' },
    from: 'newest',
    limit: 1,
    answerBytes: 1,
  } as const;
  await expect(engine.select(request)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/Narrow/),
  });
});

test('damaged lines and halves of characters do not stop it', { timeout: 60_000 }, async () => {
  await using temporary = await createRollingStore();
  await temporary.store.append(SCOPE, [
    { ...FULL, message: 'half \ud83d', jsonPayload: { half: '\udc00', text: '\\ud83d' } },
    ...printed('x'.repeat(2_000)),
  ]);
  await temporary.store.flush();
  await temporary.store.append(SCOPE, printed('next'));
  await temporary.store.flush();
  await compacted(temporary);
  const [entry] = await temporary.store.read(SCOPE, { since: BEGINNING, limit: 1 });
  expect([entry?.message, entry?.jsonPayload]).toEqual(['half \ufffd', { half: '\ufffd', text: '\\ud83d' }]);
});

test('a tail goes over from Parquet to what comes', { timeout: 60_000 }, async () => {
  await using temporary = await createRollingStore();
  for (let n = 0; n < 60; n++) {
    await temporary.store.append(SCOPE, printed(`${n} ${'x'.repeat(200)}`));
    await temporary.store.flush();
  }
  await compacted(temporary);
  const end = new AbortController();
  onTestFinished(() => end.abort());
  const met: number[] = [];
  for await (const entry of temporary.store.tail(SCOPE, { since: BEGINNING, signal: end.signal })) {
    met.push(Number.parseInt(entry.message, 10));
    if (met.length === 60)
      for (let n = 60; n < 90; n++) await temporary.store.append(SCOPE, printed(`${n} ${'x'.repeat(200)}`));
    if (met.length === 90) end.abort();
  }
  expect(met).toEqual(Array.from({ length: 90 }, (_, n) => n));
});

test('segments that are older than a column are read and joined with those that have it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-columns-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const clock = createSystemClock();
  const engine = createLogEngine({ clock, logger: createSilentLogger(), threads: 1 });
  onTestFinished(() => engine.close());
  const line = join(folder, 'line.log');
  await writeFile(line, encodeLine('2026-01-31T00:00:01.000000001Z', encodeBody(FULL)));
  const [older, newer, joined] = ['older', 'newer', 'joined'].map((name) =>
    join(folder, `${name}.parquet`),
  ) as string[];
  await engine.write({ from: 'lines', sources: [line], target: newer as string });
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  // As segments were written at first.
  await connection.run(
    `COPY (SELECT * EXCLUDE resume REPLACE ((timestamp - INTERVAL 1 SECOND)::TIMESTAMP_NS AS timestamp, json_payload::VARCHAR AS json_payload)
     FROM '${newer}') TO '${older}' (FORMAT parquet)`,
  );
  connection.closeSync();
  instance.closeSync();
  const names = { deployment: 'shop', scopeTag: 't' };
  const select = { names, from: 'oldest', limit: 10, answerBytes: 1_000_000 } as const;
  const whole = (path: string) => ({ path, startsAt: '0', endsAt: '9' });
  const { resume, ...http } = FULL.httpRequest ?? {};
  for (const sources of [
    [older, newer],
    [newer, older],
  ] as string[][]) {
    const { entries } = await engine.select({ ...select, files: sources.map(whole) });
    expect(entries).toMatchObject([{ ...FULL, httpRequest: http }, FULL]);
    expect(entries[0]?.httpRequest).not.toHaveProperty('resume');
  }
  await engine.write({ from: 'parquet', sources: [older, newer] as string[], target: joined as string });
  const { entries } = await engine.select({ ...select, files: [whole(joined as string)] });
  expect(entries).toMatchObject([{ ...FULL, httpRequest: http }, FULL]);
  expect(resume).toBeDefined();
});
