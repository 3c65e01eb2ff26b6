import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { answerJson } from '@berth/client/testing';
import { expect, test } from 'vitest';
import { useBerth } from '../../testing/use-berth.ts';

const berth = useBerth();

const ROWS = [
  { severity: 'INFO', n: 3, labels: { a: 'x,"y"' } },
  { severity: 'ERROR', n: null, labels: [] },
];

function answerRows(rows: readonly object[] = ROWS): string[] {
  const queries: string[] = [];
  berth.server.on('POST /v1/sql', async (exchange) => {
    queries.push(((await exchange.json()) as { query: string }).query);
    await answerJson(200, rows)(exchange);
  });
  return queries;
}

test('prints rows as JSON where nobody looks, and as CSV', async () => {
  const queries = answerRows();
  expect(JSON.parse((await berth.run(['sql', 'SELECT 1'])).stdout)).toEqual(ROWS);
  expect(JSON.parse((await berth.run(['sql', 'SELECT 1', '--json'])).stdout)).toEqual(ROWS);
  expect((await berth.run(['sql', 'SELECT 1', '--csv'])).stdout).toBe(
    'severity,n,labels\nINFO,3,"{""a"":""x,\\""y\\""""}"\nERROR,,[]\n',
  );
  expect(queries).toEqual(['SELECT 1', 'SELECT 1', 'SELECT 1']);
});

test('takes the query from a file or from standard input, and not from two places', async () => {
  const queries = answerRows([]);
  writeFileSync(path.join(berth.home.path, 'q.sql'), 'SELECT 2\n');
  expect((await berth.run(['sql', '-f', 'q.sql'])).code).toBe(0);
  expect((await berth.run(['sql'], 'SELECT 3')).code).toBe(0);
  expect(queries).toEqual(['SELECT 2\n', 'SELECT 3']);
  expect((await berth.run(['sql', 'SELECT 1', '-f', 'q.sql'])).code).toBe(2);
  expect((await berth.run(['sql', '-f', 'missing.sql'])).code).toBe(2);
});

test('cost adds up the billing rows of this month, by what is asked', async () => {
  const queries = answerRows([
    { deployment: 'shop', cost: 1.5, currency: 'EUR' },
    { deployment: 'blog', cost: 0.25, currency: 'EUR' },
  ]);
  const { code, stdout } = await berth.run(['cost']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/deployment +cost\nshop +1\.50 EUR\nblog +0\.25 EUR\ntotal +1\.75 EUR/);
  await berth.run(['cost', 'shop', '--by', 'sku', '--month', '2026-02']);
  expect(queries[1]).toContain("TIMESTAMPTZ '2026-02-01'");
  expect(queries[1]).toContain("TIMESTAMPTZ '2026-03-01'");
  expect(queries[1]).toContain("resource.name = 'shop'");
});

test('cost adds up what agents log of their turns, each currency for itself', async () => {
  const counts = { turns: 2, input_tokens: 1_500, output_tokens: 20 };
  const queries = answerRows([
    { model: 'large', ...counts, cost: 0.001234, currency: 'USD' },
    { model: 'small', ...counts, cost: 2, currency: 'EUR' },
  ]);
  const { stdout } = await berth.run(['cost', 'my-agent', '--by', 'model']);
  for (const field of ['event', 'level', 'input', 'input_tokens']) {
    expect(queries[0]).toContain(`JSON_VALUE(json_payload, '$.${field}')`);
  }
  expect(queries[0]).toContain("service_name = 'my-agent'");
  expect(stdout).toMatch(/model +turns +input tokens +output tokens +cost\nlarge +2 +1,500 +20 +0\.001234 USD\n/);
  expect(stdout).toMatch(/total +2 +1,500 +20 +0\.001234 USD\ntotal +2 +1,500 +20 +2\.00 EUR/);
});

test.each([
  [['cost', '--by', 'colour']],
  [['cost', '--month', '2026-13']],
  [['cost', '--since', 'soon']],
  [['cost', '--since', '7d', '--month', '2026-01']],
  [['cost', "x' OR 1=1"]],
])('%j is a usage error, and nothing is asked', async (words) => {
  const queries = answerRows();
  expect((await berth.run(words)).code).toBe(2);
  expect(queries).toEqual([]);
});
