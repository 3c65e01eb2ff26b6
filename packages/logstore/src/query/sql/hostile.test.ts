import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { createSqlFixture } from './sql-fixture.test-support.ts';

/** In a row, a relation's name, a file and a variable of the engine's that no query may see. */
const CANARY = 'canary_of_another_account';

const fixture = await createSqlFixture();
const folder = mkdtempSync(path.join(tmpdir(), 'berth-sql-hostile-'));
const secretFile = path.join(folder, `${CANARY}.csv`);
writeFileSync(secretFile, `a\n${CANARY}\n`);
await fixture.connection.run(`CREATE TABLE ${CANARY} AS SELECT '${CANARY}' AS a`);
await fixture.connection.run(`CREATE MACRO leak() AS TABLE SELECT * FROM ${CANARY}`);
await fixture.connection.run(`SET VARIABLE secret = '${CANARY}'`);
afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function outcome(sql: string): Promise<{ rows?: unknown; error?: { code: string; details?: unknown } }> {
  try {
    return { rows: await fixture.query(sql) };
  } catch (error) {
    return { error: error as { code: string } };
  }
}

// Fails when `checkTree` collects the names of all common tables of a statement into one set, or refuses functions by a list of
// forbidden ones.
describe('a query sees nothing but its relations', () => {
  test.each([
    // Names of common tables that are not visible where they are read.
    'SELECT * FROM sqlite_master',
    'WITH sqlite_master AS (SELECT * FROM sqlite_master) SELECT * FROM sqlite_master',
    'SELECT * FROM (WITH sqlite_master AS (SELECT 1) SELECT * FROM sqlite_master) a, sqlite_master b',
    'SELECT (WITH sqlite_master AS (SELECT 1 AS a) SELECT a FROM sqlite_master), name FROM sqlite_master',
    'WITH a AS (WITH duckdb_tables AS (SELECT 1) SELECT 1) SELECT * FROM duckdb_tables',
    'WITH a AS (SELECT * FROM duckdb_tables), duckdb_tables AS (SELECT 1) SELECT * FROM a',
    'WITH RECURSIVE sqlite_master AS (SELECT name FROM sqlite_master UNION ALL SELECT name FROM sqlite_master WHERE false) SELECT * FROM sqlite_master',
    'WITH RECURSIVE a AS (SELECT 1 AS n UNION ALL (WITH duckdb_views AS (SELECT 1) SELECT n + 1 FROM a WHERE n < 2)) SELECT * FROM a, duckdb_views',
    '(WITH duckdb_views AS (SELECT 1) SELECT 1) UNION ALL SELECT count(*) FROM duckdb_views',
    'SELECT 1 UNION ALL (WITH duckdb_views AS (SELECT 1) SELECT 1) EXCEPT SELECT count(*) FROM duckdb_views',
    'SELECT * FROM logs WHERE EXISTS (WITH duckdb_columns AS (SELECT 1) SELECT * FROM duckdb_columns) OR EXISTS (SELECT * FROM duckdb_columns)',
    'SELECT * FROM logs, LATERAL (WITH pg_tables AS (SELECT 1) SELECT * FROM pg_tables) x, LATERAL (SELECT * FROM pg_tables) y',
    'SELECT 1 ORDER BY (WITH duckdb_types AS (SELECT 1) SELECT 1), (SELECT count(*) FROM duckdb_types)',
    'SELECT CASE WHEN (SELECT count(*) FROM duckdb_settings) > 0 THEN (WITH duckdb_settings AS (SELECT 1 AS a) SELECT a FROM duckdb_settings) END',
    'WITH duc\u212Adb_tables AS (SELECT 1) SELECT * FROM duckdb_tables',
    'WITH sqlite_master AS (SELECT 1) SELECT * FROM main.sqlite_master',
    'WITH duckdb_tables AS (SELECT 1) SELECT * FROM system.main.duckdb_tables',
    // The catalog by its other names.
    'SELECT * FROM main.sqlite_master',
    'SELECT * FROM temp.sqlite_master',
    'SELECT * FROM temp.main.sqlite_temp_master',
    `SELECT * FROM ${CANARY}`,
    `SELECT * FROM main.${CANARY}`,
    `SELECT * FROM memory.main.${CANARY}`,
    `SELECT * FROM "memory"."main"."${CANARY}"`,
    `SELECT * FROM \`project.dataset.${CANARY}\``,
    `SELECT * FROM logs NATURAL JOIN ${CANARY}`,
    `SELECT (SELECT a FROM ${CANARY})`,
    `FROM ${CANARY}`,
    `FROM ${CANARY} SELECT a`,
    `TABLE ${CANARY}`,
    `VALUES ((SELECT a FROM ${CANARY}))`,
    `SELECT * FROM (VALUES ((SELECT a FROM ${CANARY})))`,
    `PIVOT ${CANARY} ON a USING count(*)`,
    `SELECT * FROM (PIVOT ${CANARY} ON a IN ('x') USING count(*))`,
    `UNPIVOT ${CANARY} ON a`,
    `SELECT * FROM (UNPIVOT ${CANARY} ON a INTO NAME n VALUE v)`,
    `SUMMARIZE ${CANARY}`,
    `SELECT * FROM (SUMMARIZE ${CANARY})`,
    `DESCRIBE ${CANARY}`,
    `SELECT * FROM (DESCRIBE ${CANARY})`,
    'SELECT * FROM (SHOW TABLES)',
    'SELECT * FROM (SHOW ALL TABLES)',
    'SELECT * FROM information_schema.tables',
    'SELECT * FROM information_schema.columns',
    'SELECT * FROM pg_catalog.pg_class',
    'SELECT * FROM duckdb_settings()',
    'SELECT * FROM duckdb_secrets()',
    'SELECT * FROM duckdb_variables()',
    'SELECT * FROM duckdb_functions()',
    'SELECT * FROM duckdb_logs_parsed($$x$$)',
    'SELECT * FROM pragma_table_info($$logs$$)',
    'SELECT * FROM leak()',
    'SELECT * FROM main.leak()',
    'SELECT * FROM seq_scan()',
    `SELECT * FROM histogram(${CANARY}, a)`,
    `SELECT * FROM query('SELECT * FROM ${CANARY}')`,
    `SELECT * FROM query_table('${CANARY}')`,
    `SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT * FROM ${CANARY}'))`,
    `SELECT * FROM sql_auto_complete('SELECT * FROM can')`,
    // Files.
    `SELECT * FROM '${secretFile}'`,
    `SELECT * FROM "${secretFile}"`,
    `WITH a AS (SELECT 1) SELECT * FROM '${secretFile}'`,
    `SELECT * FROM read_csv('${secretFile}')`,
    `SELECT * FROM read_text('${secretFile}')`,
    `SELECT * FROM glob('${folder}/*')`,
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM read_duckdb('/etc/passwd')",
    // Values of the engine's own, however a function is written.
    "SELECT getvariable('secret')",
    "SELECT GetVariable('secret')",
    `SELECT "getvariable"('secret')`,
    "SELECT main.getvariable('secret')",
    "SELECT system.main.getvariable('secret')",
    "SELECT ('secret').getvariable()",
    "SELECT list_transform(['secret'], x -> getvariable(x))",
    "SELECT [getvariable(x) FOR x IN ['secret']]",
    "SELECT count(*) FILTER (WHERE getvariable('secret') IS NOT NULL) FROM logs",
    "SELECT row_number() OVER (ORDER BY getvariable('secret')) FROM logs",
    "SELECT * FROM range(length(getvariable('secret')))",
    "SELECT count(*) FROM logs HAVING getvariable('secret') = ''",
    "SELECT * FROM logs QUALIFY getvariable('secret') = ''",
    "SELECT * FROM logs LIMIT length(getvariable('secret'))",
    "SELECT getenv('HOME')",
    "SELECT current_setting('allowed_directories')",
    "SELECT pg_catalog.current_setting('memory_limit')",
    'SELECT current_schemas(true)',
    'SELECT current_query()',
    'SELECT version()',
    'SELECT pg_size_pretty(1)',
    'SELECT sleep_ms(60000)',
    "SELECT write_log('x')",
    "SELECT finalize('x')",
    'SELECT __internal_decompress_string(1)',
    "SELECT json_serialize_plan('SELECT 1')",
    // Several statements, or another one than SELECT.
    `SELECT 1; SELECT * FROM ${CANARY}`,
    `SELECT ';'; COPY ${CANARY} TO '/tmp/x'`,
    "ATTACH ':memory:' AS x",
    `COPY (SELECT 1) TO '${folder}/out.csv'`,
    `EXPLAIN ANALYZE SELECT * FROM ${CANARY}`,
    `EXECUTE x`,
    `FROM logs SELECT 1 WHERE (SELECT count(*) FROM ${CANARY}) > 0`,
  ])('refuses %.120s', async (sql) => {
    const { rows, error } = await outcome(sql);
    expect(rows).toBeUndefined();
    expect(error).toMatchObject({ code: 'invalid', details: { issues: [{ loc: ['body', 'query'] }] } });
  });

  test.each([
    ["SELECT 'COPY x; ATTACH y' AS a", [{ a: 'COPY x; ATTACH y' }]],
    [`SELECT '${'sqlite_master'}' AS "getvariable('secret')"`, [{ "getvariable('secret')": 'sqlite_master' }]],
    ['WITH a AS (SELECT 1 AS n), b AS (SELECT n + 1 AS n FROM a) SELECT * FROM B', [{ n: 2 }]],
    ['WITH sqlite_master AS (SELECT 1 AS n) SELECT * FROM "SQLITE_MASTER"', [{ n: 1 }]],
    ['WITH sqlite_master AS (SELECT 1 AS n) SELECT (SELECT max(n) FROM sqlite_master) AS n', [{ n: 1 }]],
    ['WITH a AS (SELECT 1 AS n) SELECT n FROM (SELECT 2) x, LATERAL (SELECT n FROM a) y', [{ n: 1 }]],
    ['WITH a AS (SELECT 1 AS n) SELECT n FROM a UNION ALL (SELECT n + 1 FROM a) ORDER BY n', [{ n: 1 }, { n: 2 }]],
    ['WITH a AS (SELECT 1 AS n) SELECT * FROM (WITH a AS (SELECT 2 AS n) SELECT * FROM a)', [{ n: 2 }]],
    ['WITH a AS (SELECT 1 AS n) SELECT * FROM (WITH b AS (SELECT n FROM a) SELECT * FROM b)', [{ n: 1 }]],
    ['WITH logs AS (SELECT 7 AS n) SELECT * FROM logs', [{ n: 7 }]],
    ['WITH logs AS (SELECT count(*) AS n FROM logs) SELECT * FROM logs', [{ n: 6 }]],
    ['SELECT count(*) AS n FROM main.logs', [{ n: 6 }]],
    [
      'WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 3) SELECT max(n) AS n FROM t',
      [{ n: 3 }],
    ],
    [
      'WITH RECURSIVE t(n) AS (SELECT 1 UNION SELECT n + 1 FROM (SELECT n FROM t) WHERE n < 3) SELECT sum(n) AS n FROM t',
      [{ n: 6 }],
    ],
    ['FROM (VALUES (1), (2)) v(n) SELECT sum(n) AS n', [{ n: 3 }]],
    [
      "SELECT * FROM (PIVOT (SELECT severity FROM logs) ON severity IN ('INFO', 'ERROR') USING count(*))",
      [{ INFO: 4, ERROR: 2 }],
    ],
    ['SELECT row_number() OVER () AS n, [x * 2 FOR x IN [1]] AS l FROM logs LIMIT 1', [{ n: 1, l: [2] }]],
  ])('answers %.120s', async (sql, rows) => {
    expect(await outcome(sql)).toEqual({ rows });
  });

  test('a function that does not exist is named by the engine, with the one that was meant', async () => {
    const { error } = await outcome('SELECT counnt(1)');
    expect(JSON.stringify(error?.details)).toMatch(/Function with name counnt does not exist.*Did you mean.*LINE 1/s);
  });
});

/** One relation that may be read, and one that must not; both have the one column `v`. */
const name = fc.constantFrom('logs', CANARY, CANARY.toUpperCase());

/** Statements of one column whose common tables, wherever they stand, take the names of relations that must not be seen. */
const { statement } = fc.letrec<{ statement: string; source: string; definition: string }>((tie) => ({
  source: fc.oneof({ weight: 4, arbitrary: name }, { weight: 1, arbitrary: tie('statement').map((sql) => `(${sql})`) }),
  definition: fc.oneof(
    fc.tuple(name, tie('statement')).map(([one, sql]) => `${one} AS (${sql})`),
    fc
      .tuple(name, tie('statement'), tie('source'))
      .map(([one, sql, from]) => `${one} AS ((${sql}) UNION (SELECT v FROM ${from} AS d))`),
  ),
  statement: fc.oneof(
    { maxDepth: 4 },
    fc.constant("SELECT 'own' AS v"),
    tie('source').map((from) => `SELECT v FROM ${from} AS a`),
    fc.tuple(tie('source'), tie('source')).map(([one, other]) => `SELECT b.v FROM ${one} AS a, ${other} AS b`),
    tie('statement').map((sql) => `SELECT (SELECT max(v) FROM (${sql})) AS v`),
    fc.tuple(tie('statement'), tie('statement')).map(([one, other]) => `(${one}) UNION ALL (${other})`),
    fc
      .tuple(fc.boolean(), fc.uniqueArray(tie('definition'), { minLength: 1, maxLength: 2 }), tie('statement'))
      .map(([isRecursive, all, sql]) => `WITH ${isRecursive ? 'RECURSIVE ' : ''}${all.join(', ')} ${sql}`),
  ),
}));

// Fails with each of: one set of names for the whole statement; a definition that sees itself; a recursive first term that does.
test('whatever takes whose name, an answer has rows of the caller’s alone', { timeout: 120_000 }, async () => {
  await fixture.connection.run("CREATE OR REPLACE TABLE logs AS SELECT 'own' AS v");
  await fixture.connection.run(`CREATE OR REPLACE TABLE ${CANARY} AS SELECT '${CANARY}' AS v`);
  let passed = 0;
  await fc.assert(
    fc.asyncProperty(statement, async (sql) => {
      const { rows } = await outcome(sql);
      if (rows !== undefined && /canary/i.test(sql)) passed++;
      expect(JSON.stringify(rows ?? []), sql).not.toContain(CANARY);
    }),
    { numRuns: 3_000, seed: 7 },
  );
  // Enough statements read a name that only a scope lets pass, or the test says nothing.
  expect(passed).toBeGreaterThan(100);
});
