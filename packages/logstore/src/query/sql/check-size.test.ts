import { afterAll, expect, test } from 'vitest';
import { createSqlFixture } from './sql-fixture.test-support.ts';

const fixture = await createSqlFixture();
afterAll(() => fixture[Symbol.asyncDispose]());

// Fails when `checkTree` does not call `checkSize`: the engine then makes the value, or takes seconds to find that it can't.
test.each([
  'SELECT len(range(60000000))',
  'SELECT len(RANGE(0, 60000000))',
  'SELECT len(range(-60000000, 0))',
  'SELECT len(range(60000000, 0, -1))',
  'SELECT len(range(60000000::BIGINT))',
  'SELECT len(range(99999999999999999))',
  'SELECT len(generate_series(1, 60000000))',
  'SELECT count(*) FROM (SELECT unnest(range(60000000)))',
  'SELECT count(*) FROM unnest(range(60000000))',
  "SELECT length(repeat('x', 60000000))",
  "SELECT length(repeat('xxxxxxxxxx', 6000000))",
  "SELECT length(('x').repeat(60000000))",
  "SELECT length(lpad('x', 2000000000, 'y'))",
  "SELECT length(rpad('x', 2000000000, 'y'))",
  "SELECT length(printf('%2000000000d', 1))",
  "SELECT length(printf('%.2000000000f', 1.0))",
  "SELECT length(format('{:>2000000000}', 'x'))",
  "SELECT bit_count(bitstring('0', 2000000000))",
  'SELECT len(list_resize([1], 300000000))',
  'SELECT len(list_transform(range(60000000), x -> x::VARCHAR))',
])('is refused before the engine makes it: %s', async (sql) => {
  const startedMs = performance.now();
  await expect(fixture.query(sql)).rejects.toMatchObject({
    code: 'invalid',
    details: {
      issues: [{ loc: ['body', 'query'], type: 'value_too_large', msg: expect.stringContaining('10,000,000') }],
    },
  });
  expect(performance.now() - startedMs).toBeLessThan(1_000);
});

test.each([
  ['SELECT count(*) AS n FROM range(60000000)', 60_000_000],
  ['SELECT len(range(1000)) AS n', 1_000],
  ['SELECT len(range(5, 1)) AS n', 0],
  ["SELECT length(lpad('7', 3, '0')) AS n", 3],
  ["SELECT length(printf('%08.3f', 1.5)) AS n", 8],
  ["SELECT length(format('{:>8} 20000000000', 'x')) AS n", 20],
  ["SELECT len(range(TIMESTAMP '2026-01-01', TIMESTAMP '2026-01-02', INTERVAL 1 HOUR)) AS n", 24],
])('is answered: %s', async (sql, n) => {
  expect(await fixture.query(sql)).toEqual([{ n }]);
});
