import type { LogsResponse } from '@berth/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifyLogs } from '../../bench/verify-logs/verify-logs.ts';
import { verifies } from '../conformance/verifies.ts';
import { createAccount } from '../harness/accounts.ts';
import { cli } from '../harness/cli.ts';
import { deployed } from '../harness/deploy.ts';
import { expectError, expectIssues, placesOf } from '../harness/error-body.ts';
import { uniqueName } from '../harness/names.ts';
import { needs } from '../harness/needs.ts';
import { nodeProject } from '../harness/project-files.ts';
import { readLogs } from '../harness/read-logs.ts';
import { request } from '../harness/request.ts';
import { useBerth } from '../harness/use-berth.ts';
import { waitFor } from '../harness/wait-for.ts';

const berth = useBerth();
const name = uniqueName('printer');

/** Prints the lines of the request's body. */
const PRINTER = nodeProject(`
  import { createServer } from 'node:http';
  createServer((request, response) => {
    request.pipe(process.stdout, { end: false });
    request.on('end', () => response.end('printed'));
  }).listen(process.env.PORT, '0.0.0.0');
`);

const print = async (lines: readonly string[]) => {
  const body = lines.map((line) => `${line}\n`).join('');
  expect((await request(berth, name, '/', { method: 'POST', body })).text).toBe('printed');
};

beforeAll(async () => {
  await deployed(berth, name, { files: PRINTER });
  await print(['first 😀', 'second']);
  await waitFor(
    'both are in the log',
    async () => (await readLogs(berth, name, { query: 'second' })).logs.length === 1,
  );
});

it('answers of filters, tails and SQL are those of a script over the same text', {
  timeout: 240_000,
}, async (context) => {
  await needs(context, 'python');
  verifies('logs.query', 'logs.cursor', 'sql.dialect');
  const { faults } = await verifyLogs({ berth, lines: 20_000, say: () => {} });
  expect(faults).toEqual([]);
});

describe('a request for logs', () => {
  const ask = (body: object, key = berth.key) =>
    berth.post('/v1/deployment/logs', { deployment_name: name, ...body }, { 'X-API-Key': key });
  const tail = (query: Record<string, string>) =>
    berth.api(`/v1/deployment/logs/tail?${new URLSearchParams({ name, ...query })}`);

  it('takes a filter of 20,000 characters and none of one more', async () => {
    const words = `second${' OR second'.repeat(100)}`;
    const longest = `${words}${' '.repeat(20_000 - words.length)}`;
    expect(((await (await ask({ query: longest })).json()) as LogsResponse).logs).toHaveLength(1);
    expect(placesOf(await expectIssues(await ask({ query: `${longest} ` })))).toEqual(['body.query']);
  });

  it.each([
    ['1,000 nested parentheses', `${'('.repeat(1_000)}a${')'.repeat(1_000)}`],
    ['a parenthesis that is not closed', '(a AND b'],
    ['a parenthesis that is not opened', 'a) OR b'],
    ['20,000 parentheses', '('.repeat(20_000)],
    ['20,000 of NOT', 'NOT '.repeat(5_000)],
    ['an operator alone', 'AND'],
    ['a quote that is not closed', 'message:"a'],
    ['an expression without an end', 'message=~"["'],
    ['a backreference', 'message=~"(a)\\\\1"'],
  ])('with %s is 422, and says where', async (_title, query) => {
    verifies('logs.query-errors');
    const issues = await expectIssues(await ask({ query }));
    expect(placesOf(issues)).toEqual(['body.query']);
    expect(issues[0]?.msg).toMatch(/column \d+/);
    // A request line holds no more.
    if (query.length > 4_000) return;
    expect(placesOf(await expectIssues(await tail({ query })))).toEqual(['query.query']);
  });

  it.each([
    ['an empty filter', ''],
    ['only spaces', '   \n\t '],
    ['only a comment', '-- nothing'],
  ])('with %s answers all', async (_title, query) => {
    const all = await readLogs(berth, name);
    expect(await readLogs(berth, name, { query })).toEqual(all);
  });

  it('with an emoji finds it', async () => {
    for (const query of ['😀', '"first 😀"', 'message=~"\\x{1F600}$"']) {
      expect((await readLogs(berth, name, { query })).logs.map(({ message }) => message)).toEqual(['first 😀']);
    }
    expect((await readLogs(berth, name, { query: '🦊' })).logs).toEqual([]);
  });

  it('takes a time of any zone, however far away', async () => {
    verifies('logs.since');
    const { logs: all, cursor } = await readLogs(berth, name, { since: '1960-01-01T00:00:00Z' });
    expect(all.length).toBeGreaterThan(2);
    expect((await readLogs(berth, name, { since: '0001-01-01T00:00:00+23:59' })).logs).toEqual(all);
    const first = all[0]?.timestamp ?? '';
    const inKolkata = new Date(Date.parse(first) + 5.5 * 3_600_000).toISOString().replace('Z', '+05:30');
    const after = await readLogs(berth, name, { since: inKolkata });
    expect(after.logs).toEqual(
      all.filter(({ timestamp }) => timestamp > `${new Date(first).toISOString().slice(0, -1)}000000Z`),
    );
    expect(await readLogs(berth, name, { since: '9999-12-31T23:59:59Z' })).toEqual({
      logs: [],
      cursor: expect.stringContaining('9999'),
    });
    expect((await readLogs(berth, name, { since: cursor ?? '' })).logs).toEqual([]);
    for (const since of ['2026-01-01T00:00:00', '2026-01-01', '1', '']) {
      expect(placesOf(await expectIssues(await ask({ since })))).toEqual(['body.since']);
      if (since !== '') expect(placesOf(await expectIssues(await tail({ since })))).toEqual(['query.since']);
    }
  });

  it('takes a limit from 1 to 1000', async () => {
    verifies('logs.limit');
    expect((await readLogs(berth, name, { limit: 1 })).logs).toHaveLength(1);
    expect((await readLogs(berth, name, { limit: 1_000 })).logs.length).toBeGreaterThan(2);
    for (const limit of [0, 1_001, -1, 1.5, 'x', '1', true]) {
      expect(placesOf(await expectIssues(await ask({ limit })))).toEqual(['body.limit']);
    }
  });

  it('is refused for the deployment of another account, and for one that was deleted when the name is another’s', async () => {
    const other = await createAccount(berth, uniqueName('other'));
    await expectError(await ask({}, other.key), 403);
    const short = uniqueName('short');
    await deployed(berth, short, { files: PRINTER });
    await request(berth, short, '/', { method: 'POST', body: 'kept\n' });
    const kept = () => readLogs(berth, short, { query: 'kept' });
    await waitFor('it is in the log', async () => (await kept()).logs.length === 1);
    expect((await berth.post('/v1/deployment/delete', { name: short })).status).toBe(200);
    // It is no one's name now, and its entries are still those of its account alone.
    expect((await kept()).logs).toHaveLength(1);
    await expectError(await ask({ deployment_name: short }, other.key), 404);
    await deployed(berth, short, { files: PRINTER, key: other.key });
    await expectError(await ask({ deployment_name: short }), 403);
    const theirs = (await (await ask({ deployment_name: short, query: 'kept' }, other.key)).json()) as LogsResponse;
    expect(theirs.logs).toEqual([]);
  });
});

it('berth cost adds up what an agent logs of its turns, by user, model and chat', async () => {
  // Holds the agent to the contract: verifies('log.cost')
  const turn = (user_id: string, model: string, chat_id: string, cost: unknown) =>
    JSON.stringify({ event: 'usage', level: 'usage', user_id, model, chat_id, input: 100, output: 10, cost });
  await print([
    ...Array.from({ length: 10 }, () => turn('u-1', 'large', 'c-1', '0.100001')),
    turn('u-2', 'small', 'c-2', '0.000004'),
    turn('u-2', 'large', 'c-3', 'no number'),
    // Other services say it by the level alone, and earlier agents had other names.
    JSON.stringify({ level: 'usage', user_id: 'u-2', model: 'small', chat_id: 'c-2', input: 5, output: 1, cost: 0 }),
    JSON.stringify({ event: 'usage', user: 'u-2', model: 'small', chat_id: 'c-2', input_tokens: 5, cost: '0' }),
    JSON.stringify({ event: 'other', user: 'u-1', cost: '5' }),
    '{"event":"usage"',
  ]);
  const cost = async (by: string) => {
    const { code, stdout, stderr } = await cli(berth, ['cost', name, '--by', by, '--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout) as Record<string, unknown>[];
  };
  await waitFor('all turns are in the log', async () => {
    const rows = await cost('user');
    return rows.reduce((sum, row) => sum + Number(row['turns']), 0) === 14;
  });
  const usd = { currency: 'USD' };
  expect(await cost('user')).toEqual([
    { user: 'u-1', turns: 10, input_tokens: 1_000, output_tokens: 100, cost: 1.00001, ...usd },
    { user: 'u-2', turns: 4, input_tokens: 210, output_tokens: 21, cost: 0.000004, ...usd },
  ]);
  expect((await cost('model')).map((row) => [row['model'], row['cost']])).toEqual([
    ['large', 1.00001],
    ['small', 0.000004],
  ]);
  expect((await cost('chat')).map((row) => row['chat'])).toEqual(['c-1', 'c-2', 'c-3']);
});
