import type { LogEntry, LogsRequest, LogsResponse } from '@berth/contract';
import { BerthError } from '@berth/kit';
import { expect, test } from 'vitest';
import { clientError } from './client-error.ts';
import { tailLogs } from './tail-logs.ts';
import { createScriptedClock } from './testing/index.ts';

const entry = (message: string): LogEntry => ({ timestamp: `t${message}`, severity: 'INFO', message });

/** Answers each request with the next step; the last step is said forever. */
function script(...steps: (LogsResponse | BerthError)[]) {
  const requests: LogsRequest[] = [];
  const fetchLogs = async (request: LogsRequest): Promise<LogsResponse> => {
    const step = steps[Math.min(requests.length, steps.length - 1)];
    requests.push(request);
    if (BerthError.is(step)) throw step;
    return step ?? { logs: [], cursor: null };
  };
  return { requests, fetchLogs };
}

async function take(count: number, entries: AsyncGenerator<LogEntry>): Promise<string[]> {
  const messages: string[] = [];
  for await (const { message } of entries) {
    messages.push(message);
    if (messages.length === count) break;
  }
  return messages;
}

test('begins with the newest and goes on by cursor', async () => {
  const { requests, fetchLogs } = script(
    { logs: [entry('a')], cursor: 'c1' },
    { logs: [], cursor: 'c1' },
    { logs: [entry('b'), entry('c')], cursor: 'c2' },
  );
  expect(await take(3, tailLogs(fetchLogs, createScriptedClock(), 'app', { limit: 7, query: 'x' }))).toEqual([
    'a',
    'b',
    'c',
  ]);
  expect(requests[0]).toEqual({ deployment_name: 'app', limit: 7, query: 'x' });
  expect(requests.slice(1)).toEqual([
    { deployment_name: 'app', limit: 1000, since: 'c1', query: 'x' },
    { deployment_name: 'app', limit: 1000, since: 'c1', query: 'x' },
  ]);
});

test('a service that has not logged yet is waited for', async () => {
  const none = { logs: [], cursor: null };
  const { requests, fetchLogs } = script(none, none, { logs: [entry('a')], cursor: 'c1' });
  expect(await take(1, tailLogs(fetchLogs, createScriptedClock(), 'app', { limit: 1 }))).toEqual(['a']);
  expect(requests.map((request) => request.limit)).toEqual([1, 1000, 1000]);
});

test('outlives a restart of the server, and says so once', async () => {
  const gone = clientError('unavailable', 'gone');
  const { requests, fetchLogs } = script({ logs: [entry('a')], cursor: 'c1' }, gone, gone, gone, {
    logs: [entry('b')],
    cursor: 'c2',
  });
  const said: string[] = [];
  const options = { onLost: () => said.push('lost'), onFound: () => said.push('found') };
  expect(await take(2, tailLogs(fetchLogs, createScriptedClock(), 'app', options))).toEqual(['a', 'b']);
  expect(said).toEqual(['lost', 'found']);
  expect(requests.at(-1)?.since).toBe('c1');
});

test('a deployment that does not exist ends it', async () => {
  const { fetchLogs } = script(clientError('not_found', 'No such deployment.'));
  await expect(tailLogs(fetchLogs, createScriptedClock(), 'app').next()).rejects.toThrow('No such deployment.');
});

test('stops when it is told to', async () => {
  const stop = new AbortController();
  const { fetchLogs } = script({ logs: [entry('a')], cursor: 'c1' }, { logs: [], cursor: 'c1' });
  const entries = tailLogs(fetchLogs, createScriptedClock(), 'app', { signal: stop.signal });
  await entries.next();
  stop.abort(new Error('stop'));
  await expect(entries.next()).rejects.toThrow('stop');
});
