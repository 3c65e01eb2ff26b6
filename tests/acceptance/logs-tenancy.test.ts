import { createClient } from '@berth/client';
import type { LogsResponse, SqlRow } from '@berth/contract';
import { expect, it } from 'vitest';
import { createAccount } from '../harness/accounts.ts';
import { deployed } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { nodeProject } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';
import { useBerth } from '../harness/use-berth.ts';
import { waitFor } from '../harness/wait-for.ts';

const berth = useBerth();

/** `BERTH_TENANCY_ROUNDS=200 npx vitest run tests/acceptance/logs-tenancy.test.ts` is the larger one. */
const ROUNDS = Number(process.env['BERTH_TENANCY_ROUNDS'] ?? 3);
/** Of 500 bytes each: more than a segment, so that a part of them is in Parquet. */
const LINES = 20_000;

/** Prints `LINES` lines, each of them with the marker of its account, then one a request. */
const service = (marker: string) =>
  nodeProject(`
    import { createServer } from 'node:http';
    const line = (n) => JSON.stringify({ message: '${marker} ' + n, owner: '${marker}', n, filler: 'x'.repeat(400) });
    for (let n = 0; n < ${LINES}; n++) console.log(line(n));
    let next = ${LINES};
    createServer((request, response) => {
      console.log(line(next++));
      response.end('${marker}');
    }).listen(process.env.PORT, '0.0.0.0');
  `);

interface Tenant {
  readonly name: string;
  readonly key: string;
  /** A word that is in each of its lines and nowhere else. */
  readonly marker: string;
}

async function createTenant(key: string): Promise<Tenant> {
  const tenant = { name: uniqueName('tenant'), key, marker: `marker${crypto.randomUUID().replaceAll('-', '')}` };
  await deployed(berth, tenant.name, { files: service(tenant.marker), key });
  const ask = async () => (await post(tenant, '/v1/sql', { query: `SELECT COUNT(*) AS n FROM logs` })) as SqlRow[];
  await waitFor('all of its lines are in SQL', async () => Number((await ask())[0]?.['n']) >= LINES, {
    timeoutMs: 60_000,
  });
  return tenant;
}

async function post({ key }: Tenant, route: string, body: object): Promise<unknown> {
  const answer = await berth.post(route, body, { 'X-API-Key': key });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${route}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

it('two accounts that hammer SQL, filters and tails at once never see a row of each other’s', {
  timeout: 120_000 + ROUNDS * 10_000,
}, async () => {
  const first = await createTenant(berth.key);
  const second = await createTenant((await createAccount(berth, uniqueName('other'))).key);
  const seen = { sql: 0, filter: 0, tail: 0 };
  const end = new AbortController();

  /** Nothing of the other's, and in each of so many rows the own marker. */
  const check = (kind: keyof typeof seen, mine: Tenant, theirs: Tenant, rows: readonly unknown[]) => {
    for (const row of rows) {
      const text = JSON.stringify(row);
      const isTheirs = text.includes(theirs.marker) || text.includes(theirs.name);
      if (isTheirs || !text.includes(mine.marker)) throw new Error(`${kind} showed ${mine.name} ${text}`);
    }
    seen[kind] += rows.length;
  };

  const hammer = async (mine: Tenant, theirs: Tenant, round: number) => {
    const owner = `JSON_VALUE(json_payload, '$.owner')`;
    const sql = async (query: string) => (await post(mine, '/v1/sql', { query })) as SqlRow[];
    const logs = async (body: object) =>
      ((await post(mine, '/v1/deployment/logs', { deployment_name: mine.name, limit: 1_000, ...body })) as LogsResponse)
        .logs;
    await Promise.all([
      sql(
        `SELECT text_payload, json_payload, resource FROM logs WHERE log_name = 'stdout' LIMIT 1000 OFFSET ${round * 100}`,
      ),
      sql(`SELECT ${owner} AS owner, COUNT(*) AS n FROM logs WHERE log_name = 'stdout' GROUP BY owner`),
      sql(`SELECT * FROM logs WHERE ${owner} = '${theirs.marker}' OR resource.labels.service_name = '${theirs.name}'`),
      logs({ query: `jsonPayload.n>=${round * 1_000} logName=stdout`, since: '1970-01-01T00:00:00Z' }),
      logs({ query: `"${mine.marker}"` }),
      logs({ query: `"${theirs.marker}" OR "${theirs.name}"` }),
    ]).then(([rows, owners, none, filtered, own, others]) => {
      check('sql', mine, theirs, rows);
      check('sql', mine, theirs, owners);
      expect(owners).toHaveLength(1);
      expect([none, others]).toEqual([[], []]);
      check('filter', mine, theirs, filtered);
      check('filter', mine, theirs, own);
    });
    const files = `${berth.dataFolder}/logs/**/*.parquet`;
    const stolen = await berth.post(
      '/v1/sql',
      { query: `SELECT * FROM read_parquet('${files}')` },
      { 'X-API-Key': mine.key },
    );
    expect([stolen.status, (await stolen.text()).includes(theirs.marker)]).toEqual([422, false]);
    const named = await berth.post('/v1/deployment/logs', { deployment_name: theirs.name }, { 'X-API-Key': mine.key });
    expect(named.status).toBe(403);
    expect((await request(berth, mine.name)).text).toBe(mine.marker);
  };

  const follow = async (mine: Tenant, theirs: Tenant) => {
    const client = createClient({ baseUrl: berth.url, credential: { apiKey: mine.key } });
    const options = { since: '1970-01-01T00:00:00Z', query: 'logName=stdout', signal: end.signal };
    const entries = client.tailLogs(mine.name, options);
    await Array.fromAsync(entries, (entry) => check('tail', mine, theirs, [entry])).catch((error: unknown) => {
      if (!end.signal.aborted) throw error;
    });
  };

  const pairs = [
    [first, second],
    [second, first],
  ] as const;
  const tails = pairs.map(([mine, theirs]) => follow(mine, theirs));
  for (let round = 0; round < ROUNDS; round++) {
    await Promise.all(pairs.map(([mine, theirs]) => hammer(mine, theirs, round)));
  }
  await waitFor('the tails are at the end', () => seen.tail === 2 * (LINES + ROUNDS), { timeoutMs: 60_000 });
  end.abort();
  await Promise.all(tails);
  expect(seen.sql).toBeGreaterThanOrEqual(2 * ROUNDS * 1_000);
  expect(seen.filter).toBeGreaterThanOrEqual(2 * ROUNDS * 1_000);
});
