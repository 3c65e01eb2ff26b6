import { describe, expect, it } from 'vitest';
import { verifies } from '../conformance/verifies.ts';
import { createAccount, createKey } from '../harness/accounts.ts';
import { deployed } from '../harness/deploy.ts';
import { expectError } from '../harness/error-body.ts';
import { uniqueName } from '../harness/names.ts';
import { request } from '../harness/request.ts';
import { useBerth } from '../harness/use-berth.ts';
import { waitFor } from '../harness/wait-for.ts';

const berth = useBerth();

const SERVICE = {
  'package.json': '{"name":"logs","scripts":{"start":"node main.js"}}',
  'main.js': `require('http').createServer((request, response) => {
    const user = new URL(request.url, 'http://x').searchParams.get('user');
    console.log(JSON.stringify({ severity: 'NOTICE', message: 'seen', user: { id: user }, n: 2 }));
    console.error('ERROR: plain text of ' + user);
    response.end('ok');
  }).listen(process.env.PORT);`,
};

async function sql(query: string, key = berth.key) {
  return berth.post('/v1/sql', { query }, { 'X-API-Key': key });
}

async function rows(query: string, key = berth.key): Promise<Record<string, unknown>[]> {
  const answer = await sql(query, key);
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Record<string, unknown>[];
}

describe('SQL over logs and billing', () => {
  it('answers what services printed, were asked and cost, as rows in column order', async () => {
    verifies('sql.rows', 'sql.tables', 'sql.dialect');
    const name = uniqueName('logged');
    await deployed(berth, name, { files: SERVICE });
    for (const user of ['u1', 'u2', 'u1']) expect((await request(berth, name, `/?user=${user}`)).status).toBe(200);
    await waitFor('all is logged', async () => {
      const [row] = await rows(
        `SELECT COUNT(*) AS n FROM logs WHERE resource.labels.service_name = '${name}' AND log_name = 'requests'`,
      );
      return row?.['n'] === 3;
    });

    expect(
      await rows(`SELECT JSON_VALUE(json_payload, '$.user.id') AS user, COUNT(*) AS n, SUM(json_payload.n) AS sum
        FROM \`logs\` WHERE severity = 'NOTICE' AND resource.labels.service_name = '${name}'
          AND timestamp > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 HOUR)
        GROUP BY 1 ORDER BY 1`),
    ).toEqual([
      { user: 'u1', n: 2, sum: 4 },
      { user: 'u2', n: 1, sum: 2 },
    ]);
    expect(await rows("SELECT COUNT(*) AS n FROM logs WHERE text_payload LIKE 'ERROR: plain text of u%'")).toEqual([
      { n: 3 },
    ]);
    const [served] =
      await rows(`SELECT http_request.status, http_request.request_url AS url, resource.labels.instance_id
      FROM logs WHERE log_name = 'requests' AND resource.labels.service_name = '${name}' ORDER BY timestamp LIMIT 1`);
    expect(Object.keys(served ?? {})).toEqual(['status', 'url', 'instance_id']);
    expect(served).toMatchObject({ status: 200, url: expect.stringContaining('/?user=u1') });

    const costs = await rows(`SELECT sku.description AS sku, usage.amount, usage.unit, cost, currency, usage_start_time
      FROM billing WHERE resource.name = '${name}'`);
    const requests = costs.find((row) => row['sku'] === 'Requests');
    expect(requests).toMatchObject({ amount: 3, unit: 'requests', currency: 'USD' });
    expect(requests?.['usage_start_time']).toMatch(/^\d{4}-\d\d-\d\dT00:00:00Z$/);
  });

  it('is the caller’s own rows alone, behind a scope', async () => {
    verifies('sql.own-rows');
    const { key } = await createAccount(berth, 'stranger');
    expect(await rows('SELECT COUNT(*) AS n FROM logs', key)).toEqual([{ n: 0 }]);
    expect(await rows('SELECT COUNT(*) AS n FROM billing', key)).toEqual([{ n: 0 }]);
    const reader = await createKey(berth, { scopes: ['read', 'deploy', 'volumes', 'billing'] });
    await expectError(await sql('SELECT 1', reader.secret), 403);
  });

  it('refuses all but one SELECT, with the engine’s own words at the query', async () => {
    verifies('sql.errors', 'sql.sandbox');
    for (const query of [
      'SELECT nothing FROM logs',
      'SELECT FROM',
      'DROP TABLE logs',
      "SELECT * FROM read_text('/etc/passwd')",
      "COPY logs TO '/tmp/x'",
      'SELECT 1; SELECT 2',
      'SELECT * FROM information_schema.tables',
      '',
    ]) {
      const answer = await sql(query);
      expect(answer.status, query).toBe(422);
      const { detail } = (await answer.json()) as { detail: { loc: string[]; msg: string; type: string }[] };
      expect(detail[0]?.loc, query).toEqual(['body', 'query']);
      expect(detail[0]?.msg.length).toBeGreaterThan(10);
    }
    expect((await berth.post('/v1/sql', {})).status).toBe(422);
    const binder = await sql('SELECT nothing FROM logs');
    expect(await binder.text()).toContain('Binder Error: Referenced column \\"nothing\\" not found');
  });

  // Fails when nothing bounds the process of the query: it takes gigabytes, and answers or runs out of time.
  it('bounds the memory of a query, and answers the next one', async () => {
    verifies('sql.memory');
    for (const query of [
      'SELECT len(range(60000000)) AS n',
      'SELECT len(range(1000000000 + 0)) AS n',
      'SELECT histogram(x) AS n FROM range(60000000) r(x)',
    ]) {
      const answer = await sql(query);
      expect(answer.status, query).toBe(422);
      const { detail } = (await answer.json()) as { detail: { loc: string[]; msg: string }[] };
      expect(detail[0]?.loc, query).toEqual(['body', 'query']);
      expect(detail[0]?.msg, query).toMatch(/512 MiB|10,000,000/);
      expect(await rows('SELECT COUNT(*) >= 0 AS still FROM logs')).toEqual([{ still: true }]);
    }
  });

  it('gives the metrics of a deployment over time, which agree with its log', async () => {
    const name = uniqueName('charted');
    await deployed(berth, name, { files: SERVICE });
    for (let i = 0; i < 4; i++) await request(berth, name);
    const metrics = async (query: string) => berth.api(`/v1/deployment/metrics?${query}`);
    await waitFor('all requests are counted', async () => {
      const { points } = (await (await metrics(`name=${name}`)).json()) as { points: { requests: number }[] };
      return points.reduce((sum, point) => sum + point.requests, 0) === 4;
    });
    const { step_seconds: step, points } = (await (await metrics(`name=${name}&window=15m`)).json()) as {
      step_seconds: number;
      points: Record<string, unknown>[];
    };
    expect(step).toBe(60);
    expect(points[0]).toMatchObject({ errors: 0, instances: 1, time: expect.stringMatching(/:00Z$/) });
    expect(points[0]?.['p95_ms']).toBeGreaterThan(0);
    // One of them started the instance, or came while it started: where its time went.
    const cold = points.find((point) => point['cold_starts'] !== 0)?.['cold_start_ms'];
    if (cold !== undefined) expect(Object.values(cold as object).every((ms) => ms >= 0)).toBe(true);
    const between = async (from: number, to: number) => {
      const answer = await metrics(
        `name=${name}&${new URLSearchParams({ from: new Date(from).toISOString(), to: new Date(to).toISOString() })}`,
      );
      return { status: answer.status, points: ((await answer.json()) as { points?: { requests: number }[] }).points };
    };
    const nowMs = Date.now();
    expect((await between(nowMs - 3_600_000, nowMs)).points?.reduce((sum, point) => sum + point.requests, 0)).toBe(4);
    expect(await between(nowMs - 7_200_000, nowMs - 3_600_000)).toEqual({ status: 200, points: [] });
    expect((await between(nowMs, nowMs - 1)).status).toBe(422);
    await expectError(await metrics('name=nobody-has-this'), 404);
    expect((await metrics(`name=${name}&window=2h`)).status).toBe(422);
    expect((await metrics('')).status).toBe(422);
  });
});
