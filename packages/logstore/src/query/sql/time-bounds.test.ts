import { afterAll, expect, test } from 'vitest';
import { parseQuery } from './parse-query.ts';
import { createSqlFixture } from './sql-fixture.test-support.ts';
import { LOG_FROM, LOG_UNTIL, setTimeBounds } from './time-bounds.ts';

const fixture = await createSqlFixture();
afterAll(() => fixture[Symbol.asyncDispose]());

/** The bounds that a query sets on a connection of its own, as epoch seconds. */
async function boundsOf(query: string): Promise<(number | undefined)[]> {
  const connection = await fixture.sandbox.connect();
  try {
    await setTimeBounds(connection, (await parseQuery(connection, query)).bounds);
    const seconds = [LOG_FROM, LOG_UNTIL].map((name) => `epoch_ns(getvariable('${name}')::TIMESTAMP_NS) / 1e9`);
    const reader = await connection.runAndReadAll(`SELECT ${seconds.join(', ')}`);
    return (reader.getRows()[0] ?? []).map((value) =>
      value === null ? undefined : Math.floor(Number(value) * 1_000) / 1_000,
    );
  } finally {
    connection.closeSync();
  }
}

const NOON = Date.parse('2026-03-01T12:00:00Z') / 1_000;

test.each([
  ["SELECT 1 FROM logs WHERE timestamp > '2026-03-01T12:00:00Z'", [NOON, undefined]],
  // With nine digits, as entries have them.
  ["SELECT 1 FROM logs WHERE timestamp > '2026-03-01T12:00:00.000000999Z'", [NOON, undefined]],
  ["SELECT 1 FROM logs WHERE timestamp >= TIMESTAMP('2026-03-01 12:00:00')", [NOON, undefined]],
  [
    "SELECT 1 FROM logs AS l WHERE severity = 'x' AND '2026-03-01T12:00:00Z'::TIMESTAMPTZ <= l.timestamp",
    [NOON, undefined],
  ],
  ["SELECT 1 FROM logs WHERE timestamp < '2026-03-01 14:00:00+02'", [undefined, NOON]],
  [
    "SELECT 1 FROM logs WHERE timestamp BETWEEN '2026-03-01' AND '2026-03-01T12:00:00Z' AND timestamp > '2026-03-01T11:59:00Z'",
    [NOON - 60, NOON],
  ],
  ["SELECT count(*) FROM (SELECT * FROM logs WHERE timestamp > '2026-03-01T12:00:00Z') AS x", [NOON, undefined]],
])('%s is bounded', async (query, expected) => {
  expect(await boundsOf(query)).toEqual(expected);
});

test('a bound may be relative to the moment', async () => {
  const query = 'SELECT 1 FROM logs WHERE timestamp > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 MINUTE)';
  const [from = 0] = await boundsOf(query);
  expect(Math.abs(Date.now() / 1_000 - 60 - from)).toBeLessThan(30);
});

test.each([
  "SELECT 1 FROM logs WHERE timestamp > '2026-03-01' OR severity = 'x'",
  "SELECT 1 FROM logs WHERE NOT (timestamp > '2026-03-01' AND severity = 'x')",
  "SELECT 1 FROM logs WHERE timestamp <> '2026-03-01'",
  "SELECT 1 FROM logs, logs AS b WHERE logs.timestamp > '2026-03-01'",
  "SELECT 1 FROM logs WHERE timestamp > '2026-03-01' UNION ALL SELECT 1 FROM logs",
  'SELECT 1 FROM logs WHERE timestamp > (SELECT max(usage_start_time) FROM billing)',
  "SELECT 1 FROM logs AS l(timestamp, x) WHERE timestamp > '2026-03-01'",
  "WITH logs AS (SELECT 1 AS timestamp FROM billing) SELECT 1 FROM logs WHERE timestamp > '2026-03-01'",
  "SELECT now() AS timestamp FROM logs WHERE timestamp > '2026-03-01'",
  'SELECT 1 FROM logs WHERE timestamp > now() - random() * INTERVAL 1 DAY',
  "SELECT 1 FROM logs WHERE timestamp > 'never'",
  'SELECT 1 FROM billing',
])('%s is not', async (query) => {
  expect(await boundsOf(query)).toEqual([undefined, undefined]);
});
