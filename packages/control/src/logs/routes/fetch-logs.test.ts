import { createError, type LogsResponse } from '@berth/contract';
import { createFakeLogStore } from '@berth/testkit';
import { describe, expect, test } from 'vitest';
import { createLogRoutes, DELETED, type LogRoutes, SHOP } from '../testing/log-routes-fixture.ts';

const PATH = '/v1/deployment/logs';
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/;

async function fetchLogs(routes: LogRoutes, request: object): Promise<LogsResponse> {
  const response = await routes.call(PATH, { json: { deployment_name: 'shop', ...request } });
  expect(response.status).toBe(200);
  return (await response.json()) as LogsResponse;
}

async function refused(routes: LogRoutes, json: unknown, headers: Record<string, string> = {}) {
  const response = await routes.call(PATH, { json, headers });
  const body = (await response.json()) as { detail: string | { loc: unknown[]; msg: string; type: string }[] };
  return { status: response.status, headers: response.headers, detail: body.detail };
}

describe('POST /v1/deployment/logs', () => {
  test('answers the newest entries, oldest first, in the exact shape', async () => {
    await using routes = createLogRoutes();
    await routes.store.append(SHOP, [
      { logName: 'stderr', severity: 'ERROR', message: 'boom', revision: 'r', instance: 'i', jsonPayload: { a: 1 } },
    ]);
    await routes.print(SHOP, 'two', 'three');
    const answer = await fetchLogs(routes, {});
    expect(answer).toEqual({
      logs: [
        { timestamp: expect.stringMatching(TIMESTAMP), severity: 'ERROR', message: 'boom' },
        { timestamp: expect.stringMatching(TIMESTAMP), severity: 'INFO', message: 'two' },
        { timestamp: expect.stringMatching(TIMESTAMP), severity: 'INFO', message: 'three' },
      ],
      cursor: answer.logs[2]?.timestamp,
    });
    expect((await fetchLogs(routes, { limit: 1 })).logs.map((entry) => entry.message)).toEqual(['three']);
  });

  test('the instances are told where they are asked for', async () => {
    await using routes = createLogRoutes();
    await routes.store.append(SHOP, [{ logName: 'stdout', severity: 'INFO', message: 'one', instance: 'inst_1' }]);
    await routes.print(SHOP, 'two');
    const { logs } = await fetchLogs(routes, { with_instance: true });
    expect(logs.map(({ message, instance }) => [message, instance])).toEqual([
      ['one', 'inst_1'],
      ['two', null],
    ]);
  });

  test('a hundred entries unless the request says otherwise', async () => {
    await using routes = createLogRoutes();
    await routes.print(SHOP, ...Array.from({ length: 1200 }, (_, index) => String(index)));
    expect((await fetchLogs(routes, {})).logs).toHaveLength(100);
    expect((await fetchLogs(routes, { limit: 1000 })).logs).toHaveLength(1000);
  });

  test('following the cursor meets every entry once, and the cursor stays when nothing is new', async () => {
    await using routes = createLogRoutes();
    await routes.print(SHOP, 'a', 'b', 'c', 'd', 'e');
    const first = await fetchLogs(routes, { since: '1970-01-01T00:00:00+00:00', limit: 2 });
    const second = await fetchLogs(routes, { since: first.cursor, limit: 2 });
    const third = await fetchLogs(routes, { since: second.cursor, limit: 2 });
    const messages = [first, second, third].map((page) => page.logs.map((entry) => entry.message));
    expect(messages).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
    expect(await fetchLogs(routes, { since: third.cursor })).toEqual({ logs: [], cursor: third.cursor });
  });

  test('the cursor is since as given when it lies in the future, and null for an empty log', async () => {
    await using routes = createLogRoutes();
    await routes.print(SHOP, 'x');
    const since = '2999-01-01t00:00:00.5+02:00';
    expect(await fetchLogs(routes, { since })).toEqual({ logs: [], cursor: since });
    expect(await fetchLogs(routes, { deployment_name: 'empty' })).toEqual({ logs: [], cursor: null });
    expect(await fetchLogs(routes, { deployment_name: 'empty', since: null })).toEqual({ logs: [], cursor: null });
  });

  test.each([null, '', '  \n'])('a query of %j is none', async (query) => {
    await using routes = createLogRoutes();
    expect(await fetchLogs(routes, { query })).toEqual({ logs: [], cursor: null });
  });

  test('a query narrows the answer, and limit counts what fits', async () => {
    await using routes = createLogRoutes();
    await routes.store.append(SHOP, [
      { logName: 'stdout', severity: 'ERROR', message: 'a', jsonPayload: { user_id: 'u-7' } },
      { logName: 'stdout', severity: 'ERROR', message: 'b', jsonPayload: { user_id: 'u-8' } },
      { logName: 'stdout', severity: 'INFO', message: 'c', jsonPayload: { user_id: 'u-7' } },
      { logName: 'stdout', severity: 'CRITICAL', message: 'd', jsonPayload: { user_id: 'U-7' } },
    ]);
    const query = 'severity>=ERROR AND jsonPayload.user_id="u-7"';
    const answer = await fetchLogs(routes, { query });
    expect(answer.logs.map((entry) => entry.message)).toEqual(['a', 'd']);
    expect(answer.cursor).toBe(answer.logs[1]?.timestamp);
    expect((await fetchLogs(routes, { query, limit: 1 })).logs.map((entry) => entry.message)).toEqual(['d']);
    expect(await fetchLogs(routes, { query: 'nothing_has_this' })).toEqual({ logs: [], cursor: null });
    const since = answer.cursor;
    expect(await fetchLogs(routes, { query, since })).toEqual({ logs: [], cursor: since });
  });

  test.each<[query: string, words: string]>([
    ['(a', 'column 1'],
    ['a)', 'column 2'],
    ['a AND ((b)', 'column 7'],
    ['severity>=', 'expected a value after >=, found the end of the filter, at column 11'],
    ['severity>=ERROR AND', 'at column 20'],
    ['user="x"', 'jsonPayload.user'],
    ['textPayload=~"(a"', 'column'],
    [`${'('.repeat(1_000)}a${')'.repeat(1_000)}`, 'nested deeper'],
    ['"\u0000" OR "', 'column 8'],
    ['x'.repeat(20_001), '20000'],
  ])('the query %j is 422 at its place', async (query, words) => {
    await using routes = createLogRoutes();
    const answer = await refused(routes, { deployment_name: 'shop', query });
    expect(answer).toMatchObject({ status: 422, detail: [{ loc: ['body', 'query'] }] });
    expect(answer.detail).toHaveLength(1);
    expect(JSON.stringify(answer.detail)).toContain(words.replaceAll('"', '\\"'));
  });

  test.each(['x'.repeat(20_000), '😀', '("a(" OR b)', `${'('.repeat(100)}a${')'.repeat(100)}`, '-a -- (('])(
    'the query %j is one',
    async (query) => {
      await using routes = createLogRoutes();
      await fetchLogs(routes, { query });
    },
  );

  test("no query reaches another account's log", async () => {
    await using routes = createLogRoutes();
    await routes.print(SHOP, 'mine');
    await routes.print({ account: 'acct_rival', deployment: 'shop' }, 'canary');
    for (const query of ['canary', 'mine OR canary', ') OR (canary', 'NOT mine', 'resource.labels.service_name=shop']) {
      const response = await routes.call(PATH, { json: { deployment_name: 'shop', query } });
      const { logs = [] } = (await response.json()) as Partial<LogsResponse>;
      expect(logs.map((entry) => entry.message)).not.toContain('canary');
    }
  });

  test('every wrong field is named', async () => {
    await using routes = createLogRoutes();
    const answer = await refused(routes, { limit: 1001, since: '2026-02-30T00:00:00Z', query: ')', colour: 'red' });
    expect(answer.status).toBe(422);
    expect(answer.detail).toEqual([
      { loc: ['body', 'deployment_name'], msg: 'Field required', type: 'missing' },
      { loc: ['body', 'since'], msg: expect.any(String), type: 'date_invalid' },
      { loc: ['body', 'limit'], msg: expect.any(String), type: 'too_big' },
      { loc: ['body', 'query'], msg: expect.stringContaining('column 1'), type: 'query_unbalanced' },
    ]);
  });

  test.each([
    [{ deployment_name: 5 }, 'deployment_name'],
    [{ deployment_name: 'shop', limit: 0 }, 'limit'],
    [{ deployment_name: 'shop', limit: '10' }, 'limit'],
    [{ deployment_name: 'shop', limit: null }, 'limit'],
    [{ deployment_name: 'shop', limit: 1.5 }, 'limit'],
    [{ deployment_name: 'shop', since: '2026-01-01' }, 'since'],
    [{ deployment_name: 'shop', since: '2026-01-01T00:00:00' }, 'since'],
    [{ deployment_name: 'shop', since: 1700000000 }, 'since'],
    [{ deployment_name: 'shop', query: {} }, 'query'],
  ])('%j is 422', async (json, field) => {
    await using routes = createLogRoutes();
    expect(await refused(routes, json)).toMatchObject({ status: 422, detail: [{ loc: ['body', field] }] });
  });

  test('a credential is needed, with the scope for logs', async () => {
    await using routes = createLogRoutes();
    const answer = await refused(routes, { deployment_name: 'shop' }, { 'X-API-Key': 'nobody' });
    expect([answer.status, answer.headers.get('WWW-Authenticate')]).toEqual([401, 'Bearer']);
    expect(await refused(routes, {}, { 'X-API-Key': 'deployer' })).toMatchObject({ status: 403 });
    const admin = await routes.call(PATH, { json: { deployment_name: 'shop' }, headers: { 'X-API-Key': 'admin' } });
    expect(admin.status).toBe(200);
  });

  test("another account's name is 403 and shows nothing, nobody's is 404", async () => {
    await using routes = createLogRoutes();
    await routes.print(SHOP, 'canary');
    await routes.print({ account: 'acct_rival', deployment: 'theirs' }, 'canary');
    const asRival = await refused(routes, { deployment_name: 'shop' }, { 'X-API-Key': 'rival' });
    expect([asRival.status, JSON.stringify(asRival.detail)]).toEqual([403, expect.not.stringContaining('canary')]);
    expect(await refused(routes, { deployment_name: 'theirs' })).toMatchObject({ status: 403 });
    for (const name of ['nobody-has-this', '', '../acct_rival/theirs', 'SHOP', 'x'.repeat(100_000)]) {
      const answer = await refused(routes, { deployment_name: name });
      expect(answer.status).toBe(404);
      expect(answer.detail.length).toBeLessThan(200);
    }
  });

  test('the log of a deleted deployment stays readable for its account alone', async () => {
    await using routes = createLogRoutes();
    await routes.print(DELETED, 'last words');
    expect((await fetchLogs(routes, { deployment_name: 'gone' })).logs).toMatchObject([{ message: 'last words' }]);
    expect(await refused(routes, { deployment_name: 'gone' }, { 'X-API-Key': 'rival' })).toMatchObject({ status: 404 });
    // Its past entries do not open a name that is another account's now.
    await routes.print({ account: SHOP.account, deployment: 'theirs' }, 'mine, once');
    expect(await refused(routes, { deployment_name: 'theirs' })).toMatchObject({ status: 403 });
  });

  test('a store that cannot answer is 503 with Retry-After', async () => {
    const store = createFakeLogStore(Date.now);
    const read = async () => {
      throw createError('unavailable', "Couldn't read the log. Try again.");
    };
    await using routes = createLogRoutes({ store: { ...store, read } });
    const answer = await refused(routes, { deployment_name: 'shop' });
    expect(answer.status).toBe(503);
    expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0);
  });
});
