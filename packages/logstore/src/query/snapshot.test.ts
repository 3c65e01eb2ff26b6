import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createSilentLogger, createSystemClock } from '@berth/kit';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, onTestFinished, test } from 'vitest';
import type { FileLogStore, LogSnapshot } from '../ports/log-store.ts';
import { createLogEngine } from '../processes/log-engine/create-log-engine.ts';
import { createSqlRunner } from '../processes/sql-host/create-sql-runner.ts';
import { createTemporaryStore, printed, SCOPE, type TemporaryStore } from '../testing/temporary-store.ts';
import { logsRelation } from './sql/logs-relation.ts';

function createStore(): Promise<TemporaryStore> {
  const createEngine = () => createLogEngine({ clock: createSystemClock(), logger: createSilentLogger(), threads: 1 });
  return createTemporaryStore({ limits: { segmentBytes: 2_000 }, createEngine });
}

/** As a locked engine reads it: nothing but the files of the snapshot. */
async function query(snapshot: LogSnapshot, sql: string): Promise<unknown[]> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  await connection.run(logsRelation(snapshot).sql);
  await connection.run(`SET allowed_directories = [${snapshot.folders.map((one) => `'${one}'`).join(', ')}]`);
  await connection.run('SET enable_external_access = false');
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

test('holds every entry of the account, and none of another, in the columns of the contract', {
  timeout: 60_000,
}, async () => {
  await using temporary = await createStore();
  const store = temporary.store as FileLogStore;
  for (let n = 0; n < 60; n++) {
    await store.append(SCOPE, printed(`${n} ${'x'.repeat(200)}`));
    await store.append({ account: 'rival', deployment: 'shop' }, printed('canary'));
    await store.flush();
  }
  await store.append({ account: SCOPE.account, deployment: 'blog' }, [
    {
      logName: 'requests',
      severity: 'ERROR',
      message: 'GET /x 500 20 ms',
      revision: 'blog-00001',
      httpRequest: {
        method: 'GET',
        url: '/x',
        status: 500,
        latencyMs: 20,
        requestSize: 1,
        responseSize: 2,
        remoteIp: '::1',
        userAgent: 'curl',
        protocol: 'HTTP/1.1',
      },
    },
    { logName: 'stdout', severity: 'NOTICE', message: 'm', jsonPayload: { a: { b: 'ü' } }, trace: 't' },
  ]);
  const snapshot = await store.snapshot(SCOPE.account);
  const count =
    "SELECT resource.labels->>'service_name' AS name, count(*)::INTEGER AS n FROM logs GROUP BY 1 ORDER BY 1";
  expect(await query(snapshot, count)).toEqual([
    { name: 'blog', n: 2 },
    { name: 'shop', n: 60 },
  ]);
  const [request, line] = await store.read({ account: SCOPE.account, deployment: 'blog' }, { limit: 2 });
  const rows = await query(
    snapshot,
    "SELECT * FROM logs WHERE resource.labels->>'service_name' = 'blog' ORDER BY timestamp, insert_id",
  );
  expect(rows).toEqual([
    {
      timestamp: expect.stringMatching(/^2026-01-31 00:00:00\+00$/),
      severity: 'ERROR',
      log_name: 'requests',
      text_payload: null,
      json_payload: null,
      resource: {
        type: 'cloud_run_revision',
        labels: '{"service_name":"blog","revision_name":"blog-00001","instance_id":null}',
      },
      http_request: {
        request_method: 'GET',
        request_url: '/x',
        request_size: '1',
        status: 500,
        response_size: '2',
        latency: 0.02,
        user_agent: 'curl',
        remote_ip: '::1',
        protocol: 'HTTP/1.1',
        cold_start: null,
      },
      trace: null,
      insert_id: request?.insertId,
    },
    expect.objectContaining({
      severity: 'NOTICE',
      text_payload: null,
      json_payload: '{"a":{"b":"ü"}}',
      http_request: null,
      trace: 't',
      insert_id: line?.insertId,
    }),
  ]);
  // Segments that are compacted meanwhile change nothing, and the files are its own.
  for (let n = 0; n < 100; n++) await store.append(SCOPE, printed(`later ${'x'.repeat(200)}`));
  await store.flush();
  expect(await query(snapshot, 'SELECT count(*)::INTEGER AS n FROM logs')).toEqual([{ n: 62 }]);
  // What is no longer part of the log goes when no one reads it any more, not before.
  const isThere = (file: string) => existsSync(file);
  const goneSince = async () => {
    const next = await store.snapshot(SCOPE.account);
    next.release();
    return snapshot.files.filter((file) => !next.files.includes(file));
  };
  await expect.poll(async () => (await goneSince()).length, { timeout: 20_000 }).toBeGreaterThan(0);
  const gone = await goneSince();
  expect(snapshot.files.filter(isThere)).toEqual(snapshot.files);
  snapshot.release();
  snapshot.release();
  await expect.poll(() => gone.filter(isThere), { timeout: 20_000 }).toEqual([]);
});

test('of an account without logs it is empty, with the same columns', async () => {
  await using temporary = await createStore();
  const snapshot = await (temporary.store as FileLogStore).snapshot('nobody');
  expect(snapshot).toMatchObject({ files: [], bytes: 0 });
  expect(await query(snapshot, 'SELECT count(*)::INTEGER AS n, any_value(severity) AS s FROM logs')).toEqual([
    { n: 0, s: null },
  ]);
  const described = await query(snapshot, 'DESCRIBE logs');
  expect(described.map((column) => (column as { column_name: string }).column_name)).toEqual(
    'timestamp severity log_name text_payload json_payload resource http_request trace insert_id'.split(' '),
  );
});

test('bounds of time leave out nothing that fits', { timeout: 60_000 }, async () => {
  await using temporary = await createStore();
  const store = temporary.store as FileLogStore;
  for (let n = 0; n < 30; n++) {
    temporary.clock.setNowMs(temporary.clock.nowMs() + (n % 3) * 700);
    await store.append(SCOPE, printed(`${n} ${'x'.repeat(200)}`, `${n} too`));
    if (n % 4 === 0) await store.flush();
  }
  const runner = createSqlRunner({
    clock: createSystemClock(),
    logger: createSilentLogger(),
    async relationsOf(account, isExamined) {
      const snapshot = await store.snapshot(account, isExamined);
      const { folders: allowedFolders, bytes, release } = snapshot;
      return { setUp: [logsRelation(snapshot)], allowedFolders, bytes, release };
    },
  });
  onTestFinished(() => runner.close());
  const entries = await store.read(SCOPE, { limit: 1_000 });
  // SQL's times have six digits.
  const times = entries.map((entry) => entry.timestamp.slice(0, 26));
  const count = async (where: string) => {
    const json = await runner.run(SCOPE.account, `SELECT COUNT(*) AS n FROM logs WHERE ${where}`, NEVER);
    return (JSON.parse(json) as { n: number }[])[0]?.n;
  };
  for (const time of [times[0], times[7], times[20], times[59]] as string[]) {
    expect(await count(`timestamp >= '${time}Z'`)).toBe(times.filter((one) => one >= time).length);
    expect(await count(`timestamp > '${time}Z'`)).toBe(times.filter((one) => one > time).length);
    expect(await count(`timestamp <= '${time}Z'`)).toBe(times.filter((one) => one <= time).length);
    expect(await count(`timestamp < '${time}Z'`)).toBe(times.filter((one) => one < time).length);
  }
  expect(await count(`timestamp BETWEEN '${times[7]}Z' AND '${times[20]}Z'`)).toBe(
    times.filter((one) => one >= String(times[7]) && one <= String(times[20])).length,
  );

  const segments = (await temporary.segments()).filter((path) => path.endsWith('.parquet'));
  const middle = segments[Math.floor(segments.length / 2)] ?? '';
  const bytes = await readFile(middle);
  await writeFile(middle, bytes.fill(0, 4, bytes.length - 4));
  // The snapshot includes the file. Only a query that opens it finds the damage.
  expect(await count(`timestamp < '${times[4]}Z'`)).toBe(times.filter((one) => one < String(times[4])).length);
  expect(await count(`timestamp >= '${times[58]}Z'`)).toBe(2);
  expect(store.damagedSegments).toBe(0);
  expect(await count('length(text_payload) > 0')).toBeLessThan(times.length);
  expect(store.damagedSegments).toBe(1);
});

const NEVER = new AbortController().signal;
