import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openSandbox } from './open-sandbox.ts';
import { runQuery } from './run-query.ts';
import { createSqlFixture, TEST_LIMITS } from './sql-fixture.test-support.ts';

const fixture = await createSqlFixture();
afterAll(() => fixture[Symbol.asyncDispose]());
const { query, folder } = fixture;
const secretFile = path.join(folder, 'secret.csv');
writeFileSync(secretFile, 'canary\ncanary-in-a-file\n');

const refusal = async (sql: string, limits = {}) => {
  try {
    return { answered: await query(sql, limits) };
  } catch (error) {
    return error as { code: string; details?: { issues: { loc: string[]; msg: string; type: string }[] } };
  }
};

test.each([
  'DELETE FROM logs',
  "UPDATE logs SET severity = 'INFO'",
  'INSERT INTO logs SELECT * FROM logs',
  'DROP TABLE logs',
  'CREATE TABLE x AS SELECT 1',
  "COPY logs TO '/tmp/berth-out.csv'",
  "ATTACH '/tmp/x.db'",
  'INSTALL httpfs',
  'LOAD httpfs',
  "SET memory_limit = '64GB'",
  'RESET memory_limit',
  'PRAGMA database_list',
  'CALL duckdb_settings()',
  'SHOW TABLES',
  'DESCRIBE logs',
  'EXPLAIN SELECT 1',
  'SELECT 1; SELECT 2',
  'SELECT 1; DROP TABLE logs',
  '',
  '   ',
  ';',
  '-- nothing',
  'SELECT',
  'SELECT * FROM',
  "SELECT 'unclosed",
  'SELECT `unclosed',
  'SELECT * FROM users',
  'SELECT nothing FROM logs',
  'SELECT * FROM information_schema.tables',
  'SELECT * FROM pg_catalog.pg_tables',
  'SELECT * FROM sqlite_master',
  'SELECT * FROM duckdb_settings()',
  'SELECT * FROM duckdb_tables',
  'SELECT * FROM pragma_database_list()',
  "SELECT current_setting('memory_limit')",
  "SELECT getenv('HOME')",
  "SELECT * FROM query('SELECT 1')",
  "SELECT json_execute_serialized_sql('{}')",
  "SELECT * FROM (WITH logs2 AS (SELECT * FROM read_text('/etc/passwd')) SELECT * FROM logs2)",
  "SELECT (SELECT content FROM read_text('/etc/passwd'))",
  "SELECT * FROM glob('/etc/*')",
  "SELECT * FROM sniff_csv('/etc/passwd')",
  "SELECT * FROM '/etc/passwd'",
  'SELECT * FROM "/etc/passwd"',
  "SELECT * FROM parquet_metadata('/etc/passwd')",
  "SELECT * FROM 'https://example.com/x.parquet'",
  `SELECT ${'x'.repeat(100_001)}`,
])('refuses %.80s', async (sql) => {
  const error = await refusal(sql);
  expect(error).toMatchObject({ code: 'invalid' });
  expect('details' in error && error.details?.issues[0]?.loc).toEqual(['body', 'query']);
});

test('a file that lies beside is not read by any of its names', async () => {
  for (const source of [
    `'${secretFile}'`,
    `"${secretFile}"`,
    `read_csv('${secretFile}')`,
    `read_text('${secretFile}')`,
  ]) {
    expect(JSON.stringify(await refusal(`SELECT * FROM ${source}`))).not.toContain('canary-in');
  }
});

test('the engine itself refuses files, settings and extensions, whatever the checks let through', async () => {
  const { connection } = fixture;
  await expect(connection.run(`SELECT * FROM read_csv('${secretFile}')`)).rejects.toThrow(/disabled|Permission/);
  await expect(connection.run("SET memory_limit = '1GB'")).rejects.toThrow(/locked/);
  await expect(connection.run('SET enable_external_access = true')).rejects.toThrow(/locked|external/i);
  await expect(connection.run(`COPY logs TO '${folder}/out.csv'`)).rejects.toThrow(/disabled|Permission/);
  await expect(connection.run(`ATTACH '${folder}/x.db'`)).rejects.toThrow(/disabled|Permission/);
  await expect(connection.run('INSTALL httpfs')).rejects.toThrow(/disabled|Permission/);
});

test('only files in the folders that were allowed are read', async () => {
  const file = path.join(folder, 'own', 'own.csv');
  mkdirSync(path.dirname(file));
  mkdirSync(`${path.dirname(file)}-too`);
  writeFileSync(`${path.dirname(file)}-too/secret.csv`, 'canary');
  writeFileSync(file, 'a\n1\n2\n');
  const sandbox = await openSandbox({ allowedFolders: [path.dirname(file)], memoryBytes: 2 ** 28, threads: 1 });
  await sandbox.setUp([{ relation: 'logs', sql: `CREATE VIEW logs AS SELECT * FROM read_csv('${file}')` }]);
  const connection = await sandbox.connect();
  const run = (sql: string) => runQuery(connection, sql, TEST_LIMITS, new AbortController().signal);
  expect(await run('SELECT SUM(a) AS sum FROM logs')).toBe('[{"sum":3}]');
  for (const climb of [secretFile, `${path.dirname(file)}/../secret.csv`, `${path.dirname(file)}-too/secret.csv`]) {
    await expect(connection.run(`SELECT * FROM read_csv('${climb}')`)).rejects.toThrow(/disabled|Permission/);
  }
  connection.closeSync();
  sandbox.close();
});

test('the engine says what is wrong in its own words, and where', async () => {
  const missing = await refusal('SELECT severity,\n  nothing\nFROM logs');
  expect('details' in missing && missing.details?.issues[0]?.msg).toMatch(
    /Binder Error: Referenced column "nothing"[\s\S]*LINE 2/,
  );
  const syntax = await refusal('SELECT 1\nFROM logs WHERE AND');
  expect('details' in syntax && syntax.details?.issues[0]?.msg).toMatch(
    /syntax error at or near "AND" \(line 2, column 17\)/,
  );
});

test('too many rows, too large an answer, too long and too much memory each have a sentence', async () => {
  const type = async (sql: string, limits = {}) => {
    const error = await refusal(sql, limits);
    return 'details' in error ? error.details?.issues[0]?.type : error;
  };
  expect(await type('SELECT * FROM range(1001)')).toBe('too_many_rows');
  expect(await type("SELECT repeat('x', 2000000)")).toBe('answer_too_large');
  expect(await type('SELECT COUNT(*) FROM range(100000000) a, range(100000) b', { timeoutMs: 300 })).toBe(
    'query_timeout',
  );
  expect(await type('SELECT COUNT(DISTINCT x || x) FROM range(50000000) r(x)')).toBe('query_memory');
  expect(await query('SELECT 1 AS still')).toEqual([{ still: 1 }]);
});

test('a query ends when whoever asked goes', async () => {
  const leave = new AbortController();
  const sql = 'SELECT COUNT(*) FROM range(100000000) a, range(100000) b';
  const running = runQuery(fixture.connection, sql, TEST_LIMITS, leave.signal);
  setTimeout(() => leave.abort(new Error('gone')), 100);
  await expect(running).rejects.toThrow('gone');
  expect(await query('SELECT 1 AS still')).toEqual([{ still: 1 }]);
});

test('parentheses without end, and ten thousand deep, are an answer or a sentence', async () => {
  for (const sql of [`SELECT ${'('.repeat(10_000)}1${')'.repeat(10_000)}`, `SELECT ${'('.repeat(10_000)}`]) {
    const error = await refusal(sql);
    expect('answered' in error || error.code === 'invalid').toBe(true);
  }
  expect(await query('SELECT 1 AS still')).toEqual([{ still: 1 }]);
});
