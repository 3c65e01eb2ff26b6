import { afterAll, expect, test } from 'vitest';
import { createSqlFixture } from './sql-fixture.test-support.ts';

const fixture = await createSqlFixture();
afterAll(() => fixture[Symbol.asyncDispose]());
const { query } = fixture;
const one = async (sql: string) => Object.values((await query(sql))[0] ?? {})[0];

test.each<[sql: string, answer: unknown]>([
  // Ways into JSON.
  ["SELECT COUNT(*) FROM logs WHERE json_payload.user.id = 'u1'", 1],
  ["SELECT COUNT(*) FROM logs l WHERE l.json_payload.user.id IN ('u1', 'u2', 'u3')", 2],
  ['SELECT COUNT(*) FROM logs WHERE json_payload.n > 9', 1],
  ['SELECT COUNT(*) FROM logs WHERE json_payload.n BETWEEN 9 AND 10', 2],
  ['SELECT COUNT(*) FROM logs WHERE json_payload.n > -1', 2],
  ['SELECT COUNT(*) FROM logs WHERE json_payload.ok = true', 1],
  ["SELECT COUNT(*) FROM logs WHERE json_payload.user.id LIKE 'u%'", 2],
  ['SELECT COUNT(*) FROM logs WHERE json_payload.user.id IS NOT NULL', 2],
  ["SELECT COUNT(*) FROM logs WHERE resource.labels.service_name = 'blog'", 1],
  ["SELECT COUNT(*) FROM logs WHERE logs.resource.labels.service_name != 'blog'", 5],
  ['SELECT SUM(json_payload.n) FROM logs', 19],
  ['SELECT json_payload.n + 1 FROM logs WHERE json_payload.n = 10', 11],
  ["SELECT UPPER(json_payload.user.id) FROM logs WHERE json_payload.user.id = 'u1'", 'U1'],
  ["SELECT json_payload.items[1].name FROM logs WHERE json_payload.user.id = 'u1'", 'b'],
  ["SELECT json_payload.items[OFFSET(0)].name FROM logs WHERE json_payload.user.id = 'u1'", 'a'],
  ["SELECT json_payload.items[ORDINAL(1)].name = 'a' FROM logs WHERE json_payload.user.id = 'u1'", true],
  ["SELECT json_payload.user FROM logs WHERE json_payload.user.id = 'u1'", { id: 'u1' }],
  [
    "SELECT JSON_VALUE(json_payload, '$.user.id') FROM logs WHERE severity = 'ERROR' AND json_payload IS NOT NULL",
    'u1',
  ],
  ["SELECT JSON_VALUE(json_payload, '$.user') FROM logs WHERE json_payload.n = 9", null],
  ["SELECT JSON_VALUE(resource.labels, '$.revision_name') FROM logs LIMIT 1", 'shop-1'],
  ["SELECT CAST(JSON_VALUE(json_payload, '$.n') AS INT64) FROM logs WHERE json_payload.n = 9", 9],
  ["SELECT JSON_QUERY(json_payload, '$.user') FROM logs WHERE json_payload.n = 9", { id: 'u2' }],
  ['SELECT TO_JSON_STRING(json_payload.user) FROM logs WHERE json_payload.n = 9', '{"id":"u2"}'],
  // Types.
  ["SELECT CAST('1.5' AS FLOAT64)", 1.5],
  ["SELECT CAST('12' AS INT64)", 12],
  ['SELECT CAST(12 AS STRING)', '12'],
  ["SELECT CAST('true' AS BOOL)", true],
  ["SELECT SAFE_CAST('x' AS INT64)", null],
  ["SELECT SAFE_CAST('7' AS FLOAT64)", 7],
  // REGEXP_EXTRACT: "If the regular expression contains a capturing group, the function returns the substring that is matched by that
  // capturing group. […] Returns NULL if there is no match" (string functions; its examples).
  ["SELECT REGEXP_EXTRACT('foo@example.com', '^[a-zA-Z0-9_.+-]+')", 'foo'],
  ["SELECT REGEXP_EXTRACT('foo@example.com', '^[a-zA-Z0-9_.+-]+@[a-zA-Z0-9-]+\\.([a-zA-Z0-9-.]+$)')", 'com'],
  ["SELECT REGEXP_EXTRACT('bar@example.org', '@([a-z]+)')", 'example'],
  ["SELECT REGEXP_EXTRACT('user id=42 ok', 'id=(?P<id>\\d+)')", '42'],
  ["SELECT REGEXP_EXTRACT('a(b)c', '\\((?:b)\\)')", '(b)'],
  ["SELECT REGEXP_EXTRACT('a(b)c', '[(]b[)]')", '(b)'],
  ["SELECT REGEXP_EXTRACT('a(b)c', '\\Q(b)\\E')", '(b)'],
  ["SELECT REGEXP_EXTRACT('abc', '(x)')", null],
  ["SELECT REGEXP_EXTRACT('abc', 'x')", null],
  ["SELECT REGEXP_EXTRACT(NULL, 'x')", null],
  ["SELECT REGEXP_EXTRACT(text_payload, 'GET (/.*)') FROM logs WHERE text_payload = 'GET /x'", '/x'],
  ["SELECT COUNT(*) FROM logs WHERE REGEXP_EXTRACT(text_payload, 'GET (/)') IS NULL", 3],
  ["SELECT REGEXP_SUBSTR('hello', 'l(l)o')", 'l'],
  ["SELECT regexp_extract('foo@example.com', '(.*)@(.*)', 2)", 'example.com'],
  ["SELECT REGEXP_EXTRACT_ALL('Try `func(x)` or `func(y)`', '`(.+?)`')", ['func(x)', 'func(y)']],
  ["SELECT REGEXP_EXTRACT_ALL('a1b22', '\\d+')", ['1', '22']],
  ["SELECT REGEXP_EXTRACT_ALL('ab', 'x')", []],
  // NUMERIC: "precision 38, scale 9"; casts round half away from zero (data types; conversion functions).
  ["SELECT CAST('1.123456789' AS NUMERIC)", 1.123456789],
  ["SELECT CAST('1.1234567895' AS NUMERIC)", 1.12345679],
  ["SELECT CAST('-1.1234567895' AS NUMERIC)", -1.12345679],
  ["SELECT NUMERIC '0.000000001'", 0.000000001],
  ["SELECT '12345678901234567890123456789.123456789'::NUMERIC", '12345678901234567890123456789.123456789'],
  ["SELECT SAFE_CAST('x' AS NUMERIC)", null],
  ["SELECT SAFE_CAST('123456789012345678901234567890' AS NUMERIC)", null],
  ['SELECT SUM(n) FROM (SELECT CAST(0.000000001 AS NUMERIC) AS n FROM range(3))', 0.000000003],
  ["SELECT CAST('1.128' AS NUMERIC(5, 2))", 1.13],
  ['SELECT numeric FROM (SELECT 7 AS numeric)', 7],
  ['SELECT 1.23456::DECIMAL', 1.235],
  // Time.
  ["SELECT TIMESTAMP_SUB(TIMESTAMP('2026-03-01 10:00:00+00'), INTERVAL 90 MINUTE)", '2026-03-01T08:30:00Z'],
  ["SELECT TIMESTAMP_ADD(TIMESTAMP('2026-03-01'), INTERVAL 1 DAY)", '2026-03-02T00:00:00Z'],
  ["SELECT TIMESTAMP_TRUNC(TIMESTAMP('2026-03-01 10:59:59'), HOUR)", '2026-03-01T10:00:00Z'],
  ["SELECT TIMESTAMP_TRUNC(TIMESTAMP('2026-03-01 23:30:00'), DAY, 'Europe/Berlin')", '2026-03-01T23:00:00Z'],
  // "DAYOFWEEK: Returns values in the range [1,7] with Sunday as the first day of the week" (EXTRACT, date functions).
  ["SELECT EXTRACT(DAYOFWEEK FROM DATE '2026-03-01')", 1],
  ["SELECT extract( dayofweek from DATE '2013-12-25')", 4],
  ["SELECT EXTRACT(DAYOFWEEK FROM TIMESTAMP('2026-03-07 23:30:00') AT TIME ZONE 'Europe/Berlin')", 1],
  ['SELECT COUNT(*) FROM logs WHERE EXTRACT(DAYOFWEEK FROM timestamp) IN (1)', 6],
  ["SELECT EXTRACT(DAY FROM DATE '2013-12-25')", 25],
  ["SELECT dayofweek(DATE '2026-03-01') + EXTRACT(DOW FROM DATE '2026-03-01')", 0],
  // 2026-03-04 is a Wednesday; the Sunday before it is the first, the Monday the second.
  ["SELECT TIMESTAMP_TRUNC(TIMESTAMP('2026-03-04 10:00:00'), WEEK)", '2026-03-01T00:00:00Z'],
  ["SELECT TIMESTAMP_TRUNC(TIMESTAMP('2026-03-04 10:00:00'), ISOWEEK)", '2026-03-02T00:00:00Z'],
  ["SELECT TIMESTAMP_DIFF(TIMESTAMP('2026-03-01 12:00:00'), TIMESTAMP('2026-03-01 10:10:00'), HOUR)", 1],
  ["SELECT DATE_DIFF(DATE '2026-03-02', DATE '2026-02-28', DAY)", 2],
  ["SELECT DATE_TRUNC(DATE '2026-03-14', MONTH)", '2026-03-01'],
  ["SELECT DATE_SUB(DATE '2026-03-31', INTERVAL 1 MONTH)", '2026-02-28'],
  ["SELECT date_trunc('month', DATE '2026-03-14')", '2026-03-01T00:00:00Z'],
  ['SELECT CURRENT_TIMESTAMP() > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 HOUR)', true],
  ["SELECT FORMAT_TIMESTAMP('%F %T', TIMESTAMP('2026-03-01 10:00:05'))", '2026-03-01 10:00:05'],
  ["SELECT FORMAT_TIMESTAMP('%H:%M %%F', TIMESTAMP('2026-03-01 10:00:05'), 'Asia/Tokyo')", '19:00 %F'],
  ["SELECT PARSE_TIMESTAMP('%d/%m/%Y', '05/03/2026')", '2026-03-05T00:00:00Z'],
  ["SELECT UNIX_SECONDS(TIMESTAMP('1970-01-02'))", 86_400],
  ['SELECT TIMESTAMP_MILLIS(1500)', '1970-01-01T00:00:01.500Z'],
  ['SELECT EXTRACT(HOUR FROM timestamp) FROM logs ORDER BY timestamp LIMIT 1', 10],
  ['SELECT COUNT(*) FROM logs WHERE timestamp > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 3650 DAY)', 6],
  // Aggregates.
  ["SELECT COUNTIF(severity = 'ERROR') FROM logs", 2],
  ['SELECT APPROX_QUANTILES(x, 100)[OFFSET(95)] FROM range(1001) AS r(x)', 950],
  ['SELECT APPROX_QUANTILES(x, 4)[ORDINAL(3)] FROM range(1001) AS r(x)', 500],
  ['SELECT APPROX_QUANTILES(x, 2) FROM range(1001) AS r(x)', [0, 500, 1000]],
  ["SELECT APPROX_QUANTILES(http_request.latency, 2)[OFFSET(2)] FROM logs WHERE log_name = 'stdout'", 50],
  ['SELECT SAFE_DIVIDE(1, 0)', null],
  ['SELECT IF(1 > 2, 3, IFNULL(NULL, 4))', 4],
  ["SELECT REGEXP_CONTAINS('abc', '^a.c$')", true],
  ['SELECT [1, 2, 3][OFFSET(0)]', 1],
  // Names.
  ['SELECT COUNT(*) FROM `logs`', 6],
  ["SELECT COUNT(*) FROM `my-project.my_dataset.logs` AS l WHERE `l`.`severity` = 'ERROR'", 2],
  ["SELECT ROUND(SUM(cost), 2) FROM billing WHERE sku.description = 'CPU'", 0.75],
  // The engine's own.
  ['SELECT list_sum([x for x in [1, 2, 3] if x > 1])', 5],
  ["FROM logs SELECT count(*) FILTER (severity = 'INFO')", 4],
  ['SELECT 9007199254740993', '9007199254740993'],
  ["SELECT 'SAFE_CAST(`x`) [OFFSET(1)]'", 'SAFE_CAST(`x`) [OFFSET(1)]'],
  ['SELECT 1 -- `comment` SAFE_CAST(x)', 1],
])('%s', async (sql, answer) => {
  expect(await one(sql)).toEqual(answer);
});

test('columns are in the order and under the names that the query gives them', async () => {
  const [row] = await query(
    "SELECT json_payload.user.id, JSON_VALUE(json_payload, '$.n') AS n, COUNTIF(true), severity FROM logs WHERE json_payload.n = 9 GROUP BY ALL",
  );
  expect(Object.keys(row ?? {})).toEqual(['id', 'n', 'countif', 'severity']);
  const [twice] = await query('SELECT 1 AS a, 2 AS a');
  expect(Object.values(twice ?? {})).toEqual([1, 2]);
});

test('groups by a value out of JSON, and joins, with CTEs and windows', async () => {
  expect(
    await query(`
      WITH e AS (SELECT resource.labels.service_name AS name, severity FROM logs)
      SELECT name, COUNTIF(severity = 'ERROR') AS errors, RANK() OVER (ORDER BY COUNT(*) DESC) AS place
      FROM e GROUP BY name ORDER BY place`),
  ).toEqual([
    { name: 'shop', errors: 2, place: 1 },
    { name: 'blog', errors: 0, place: 2 },
  ]);
  expect(
    await query(`SELECT b.resource.name, SUM(b.cost) AS cost FROM billing b
      JOIN logs l ON JSON_VALUE(l.resource.labels, '$.service_name') = b.resource.name
      GROUP BY 1 ORDER BY 1`),
  ).toEqual([
    { name: 'blog', cost: 0.25 },
    { name: 'shop', cost: 3.75 },
  ]);
});

test('EXCEPT after a star leaves columns out; between queries it is the difference', async () => {
  const [row] = await query('SELECT * EXCEPT (resource, usage, sku) FROM billing LIMIT 1');
  expect(Object.keys(row ?? {})).toEqual(['usage_start_time', 'cost']);
  expect(await query('SELECT 1 AS a EXCEPT (SELECT 1)')).toEqual([]);
  expect(await query("SELECT * FROM (SELECT 2 * EXTRACT(YEAR FROM DATE '2026-01-01') AS a)")).toEqual([{ a: 4052 }]);
});

test('values of every kind are JSON', async () => {
  const [row] = await query(`SELECT
    {'a': [1::HUGEINT, NULL], 'at': TIMESTAMP '2026-03-01 00:00:00.25'} AS nested, 1.50::DECIMAL(10, 2) AS money,
    'nan'::DOUBLE AS nan, 'ab'::BLOB AS bytes, DATE '2026-03-01' AS day, MAP {'k': 1} AS map,
    TIMESTAMP_NS '2026-03-01 00:00:00.123456789' AS ns, '{"x":[1]}'::JSON AS json, INTERVAL 1 DAY AS span, true AS yes`);
  expect(row).toMatchObject({
    nested: { a: [1, null], at: '2026-03-01T00:00:00.250Z' },
    money: 1.5,
    nan: 'NaN',
    bytes: 'YWI=',
    day: '2026-03-01',
    ns: '2026-03-01T00:00:00.123456789Z',
    json: { x: [1] },
    yes: true,
  });
  expect(JSON.parse(JSON.stringify(row))).toEqual(row);
});

test.each(['CAST(1 AS BIGNUMERIC)', "SAFE_CAST('1' AS BIGNUMERIC)", "BIGNUMERIC '1.5'"])(
  '%s is an error: the engine has no type with as many digits',
  async (expression) => {
    await expect(query(`SELECT ${expression}`)).rejects.toThrow(/NUMERIC/);
  },
);

test.each([
  "REGEXP_EXTRACT('ab', '(a)(b)')",
  "REGEXP_EXTRACT_ALL('ab', '(a)|(b)')",
  "REGEXP_EXTRACT('ab', 'a' || 'b')",
])('%s is an error that says how to name the group', async (expression) => {
  await expect(query(`SELECT ${expression}`)).rejects.toThrow(/\(text, pattern, 1\)/);
});
