import { waitUntil } from '@berth/testkit';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { reportUnreachable } from './report-unreachable.ts';
import { findPostgres, NO_POSTGRES, startPostgres } from './testing/start-postgres.ts';

const programs = findPostgres();
if (!programs && process.env['CI'] === 'true') throw new Error(`CI must have everything, and this ${NO_POSTGRES}`);
const MESSAGE = "The database can't be reached. Try again.";
const UNAVAILABLE = { code: 'unavailable', status: 503, message: MESSAGE };

/** A connection whose queries end as the test says. */
function openScripted(stalledMs?: number) {
  const answer = Promise.withResolvers<pg.QueryResult>();
  let isEnded = false;
  const client = {
    query: (() => answer.promise) as unknown as pg.ClientBase['query'],
    async end() {
      isEnded = true;
      answer.reject(new Error('Connection terminated'));
    },
  };
  reportUnreachable(client, MESSAGE, stalledMs);
  return { client, answer, isEnded: () => isEnded };
}

// Fails when a class of errors is left out, or a fault of the statement counts as one of the server.
test.each([
  ['08006', true],
  ['53300', true],
  ['57P01', true],
  ['57P03', true],
  ['57014', true],
  ['25006', true],
  ['40P01', true],
  ['ECONNRESET', true],
  ['EPIPE', true],
  [undefined, true],
  ['23505', false],
  ['42P01', false],
  ['22021', false],
  ['55P03', false],
])('an error with the code %s: is the database unreachable? %s', async (code, isUnreachable) => {
  const { client, answer } = openScripted();
  const error = Object.assign(new Error('as the driver says it'), { code });
  answer.reject(error);
  const query = client.query('select 1');
  if (isUnreachable) await expect(query).rejects.toMatchObject(UNAVAILABLE);
  else await expect(query).rejects.toBe(error);
});

// Fails when no one closes the connection: the request would wait for as long as the network is silent.
test('a query that is never answered ends with its connection', async () => {
  const { client, isEnded } = openScripted(35);
  await expect(client.query('select 1')).rejects.toMatchObject(UNAVAILABLE);
  expect(isEnded()).toBe(true);
});

// Fails when the time of a blocked event loop counts: an answer that waits to be read would be thrown away.
test('an answer that a blocked event loop has kept waiting is read', async () => {
  const { client, answer, isEnded } = openScripted(350);
  const query = client.query('select 1');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
  setTimeout(() => answer.resolve({ rows: [1] } as unknown as pg.QueryResult), 1);
  expect(await query).toEqual({ rows: [1] });
  expect(isEnded()).toBe(false);
});

describe.skipIf(!programs)(programs ? 'on a real Postgres' : `a server that stops: ${NO_POSTGRES}`, () => {
  // Fails when errors are reported only while a connection is acquired.
  test('a query that runs while the server stops is reported as unreachable', async () => {
    const server = await startPostgres(programs as string);
    const [client, other] = [new pg.Client(server.url), new pg.Client(server.url)];
    try {
      for (const one of [client, other]) {
        one.on('error', () => {});
        await one.connect();
      }
      reportUnreachable(client, MESSAGE);
      const query = expect(client.query('select pg_sleep(60)')).rejects.toMatchObject(UNAVAILABLE);
      await waitUntil('the query runs', async () => {
        const running = await other.query("select 1 from pg_stat_activity where query = 'select pg_sleep(60)'");
        return running.rows.length > 0;
      });
      await server.stop();
      await query;
      await expect(client.query('select 1')).rejects.toMatchObject(UNAVAILABLE);
    } finally {
      await Promise.all([client, other].map((one) => one.end()));
      await server.close();
    }
  }, 120_000);
});
