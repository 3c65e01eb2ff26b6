import type { LogEntry } from '@berth/contract';
import { expect, test } from 'vitest';
import { answerJson, createScriptedClock, createScriptedServer, type Handler } from '../testing/index.ts';
import { createClient } from './client.ts';

const entry = (n: number): LogEntry => ({
  timestamp: `2026-01-01T00:00:00.00000000${n}Z`,
  severity: 'INFO',
  message: `m${n}`,
});
const events = (...entries: LogEntry[]) =>
  entries.map((one) => `id: ${one.timestamp}\ndata: ${JSON.stringify(one)}\n\n`).join('');

/** Says some entries, then goes on, ends or breaks. */
const say =
  (then: 'goes on' | 'ends' | 'breaks', ...entries: LogEntry[]): Handler =>
  ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`: keep-alive\n\n${events(...entries)}`, () => {
      if (then === 'ends') response.end();
      else if (then === 'breaks') response.destroy();
    });
  };

const page = (...entries: LogEntry[]) => answerJson(200, { logs: entries, cursor: entries.at(-1)?.timestamp ?? null });

async function take(count: number, entries: AsyncGenerator<LogEntry>): Promise<string[]> {
  const messages: string[] = [];
  for await (const { message } of entries) {
    messages.push(message);
    if (messages.length === count) break;
  }
  return messages;
}

const connect = (baseUrl: string) =>
  createClient({ baseUrl, credential: { apiKey: 'k' }, clock: createScriptedClock() });
const PAGE = 'POST /v1/deployment/logs';
const TAIL = 'GET /v1/deployment/logs/tail';
const sinceOf = (line: string | undefined) => new URLSearchParams(line?.split('?')[1]).get('since');

test('begins with the newest, and goes on after them', async () => {
  await using server = await createScriptedServer({
    [PAGE]: page(entry(1)),
    [TAIL]: say('goes on', entry(2), entry(3)),
  });
  expect(await take(3, connect(server.url).tailLogs('app', { query: 'a b' }))).toEqual(['m1', 'm2', 'm3']);
  expect(server.requests).toHaveLength(2);
  expect(sinceOf(server.requests[1])).toBe(entry(1).timestamp);
  expect(server.requests[1]).toContain('query=a%20b');
});

test('with a time to begin at it asks for no page', async () => {
  await using server = await createScriptedServer({ [TAIL]: say('goes on', entry(2)) });
  expect(await take(1, connect(server.url).tailLogs('app', { since: entry(1).timestamp }))).toEqual(['m2']);
  expect(server.requests).toHaveLength(1);
});

test('a service that has not logged yet is followed from its beginning', async () => {
  await using server = await createScriptedServer({ [PAGE]: page(), [TAIL]: say('goes on', entry(1)) });
  expect(await take(1, connect(server.url).tailLogs('app'))).toEqual(['m1']);
  expect(sinceOf(server.requests[1])).toBe('1970-01-01T00:00:00Z');
});

test('outlives streams that end and break and a server that is away, and tells of the last alone', async () => {
  await using server = await createScriptedServer();
  const answers = [
    say('ends', entry(1)),
    say('breaks', entry(2)),
    answerJson(503, { detail: 'Starting.' }),
    answerJson(503, { detail: 'Starting.' }),
    say('goes on', entry(3)),
  ];
  server.on(TAIL, (exchange) => answers.shift()?.(exchange));
  const said: string[] = [];
  const options = {
    since: entry(0).timestamp,
    onLost: (e: Error) => said.push(e.message),
    onFound: () => said.push('back'),
  };
  expect(await take(3, connect(server.url).tailLogs('app', options))).toEqual(['m1', 'm2', 'm3']);
  expect(said).toEqual(['Starting.', 'back']);
  expect(server.requests.map(sinceOf)).toEqual([0, 1, 2, 2, 2].map((n) => entry(n).timestamp));
});

test('a deployment that does not exist ends it, at the start and later', async () => {
  await using server = await createScriptedServer({ [PAGE]: page(entry(1)), [TAIL]: say('ends') });
  const entries = connect(server.url).tailLogs('app');
  await entries.next();
  server.on(TAIL, answerJson(404, { detail: 'No such deployment.' }));
  await expect(entries.next()).rejects.toThrow('No such deployment.');
  server.on(PAGE, answerJson(404, { detail: 'No such deployment.' }));
  await expect(connect(server.url).tailLogs('app').next()).rejects.toMatchObject({ code: 'not_found' });
});

test('stops when it is told to', async () => {
  const stop = new AbortController();
  await using server = await createScriptedServer({ [PAGE]: page(entry(1)), [TAIL]: say('goes on') });
  const entries = connect(server.url).tailLogs('app', { signal: stop.signal });
  await entries.next();
  const next = entries.next();
  stop.abort(new Error('stop'));
  await expect(next).rejects.toThrow('stop');
});
