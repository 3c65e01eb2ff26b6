import type { ControlPaths, TailOptions } from '@berth/client';
import { createFakeCalls } from '@berth/client/testing';
import { createError, type LogEntry, type LogsRequest } from '@berth/contract';
import { describe, expect, test, vi } from 'vitest';
import { createLogFeed } from './log-feed.ts';
import { parseLogsView } from './logs-view.ts';

const NOW_MS = Date.parse('2026-01-02T00:00:00Z');
const entry = (second: number): LogEntry => ({
  ...{ timestamp: new Date(NOW_MS - 600_000 + second * 1_000).toISOString(), severity: 'INFO', message: `${second}` },
});

function setup(search: object, answer: (request: LogsRequest, count: number) => LogEntry[]) {
  const requests: LogsRequest[] = [];
  let tail: TailOptions = {};
  const failing = Promise.withResolvers<never>();
  failing.promise.catch(() => {});
  const client = {
    ...createFakeCalls<ControlPaths>({
      'POST /v1/deployment/logs': ({ body }) => {
        const request = body as LogsRequest;
        requests.push(request);
        return { logs: answer(request, requests.length) };
      },
    }),
    async *tailLogs(_: string, options: TailOptions = {}): AsyncGenerator<LogEntry> {
      tail = options;
      yield await failing.promise;
    },
  };
  const view = parseLogsView({ deployment: 'shop', ...search });
  const feed = createLogFeed(view, { client, nowMs: () => NOW_MS, later: (work) => work() });
  const status = (wanted: string) => vi.waitFor(() => expect(feed.getState().status).toBe(wanted));
  return { feed, requests, status, tail: () => tail, failTail: (error: Error) => failing.reject(error) };
}
const refuse = (): never => {
  throw createError('internal', 'The store is broken.');
};

describe('loading', () => {
  // Fails when the first page's error leaves the page loading forever.
  test('fails with its error', async () => {
    const { feed, status } = setup({}, refuse);
    await status('failed');
    expect(feed.getState()).toMatchObject({ entries: [], error: { message: 'The store is broken.' } });
    await feed.loadOlder();
    expect(feed.getState().isLoadingMore).toBe(false);
  });

  // Fails when a page that fails drops what is shown, or can't be asked for again.
  test('more fails with what is shown kept, and may be tried again', async () => {
    const { feed, requests, status } = setup({}, (_, count) => (count === 2 ? refuse() : [entry(10 - count)]));
    await status('ready');
    await feed.loadOlder();
    expect(feed.getState()).toMatchObject({ entries: [entry(9)], isLoadingMore: false, hasOlder: true });
    expect(feed.getState().error).toMatchObject({ code: 'internal' });
    await feed.loadOlder();
    expect(feed.getState()).toMatchObject({ entries: [entry(9), entry(7)], error: undefined });
    expect(requests.at(-1)?.query).toContain(`timestamp<"${entry(9).timestamp}"`);
  });

  // Fails when two presses read the same page twice.
  test('more is done once at a time', async () => {
    const { feed, requests, status } = setup({}, (_, count) => [entry(10 - count)]);
    await status('ready');
    await Promise.all([feed.loadOlder(), feed.loadOlder(), feed.loadNewer()]);
    expect(requests).toHaveLength(2);
  });

  test('ends where there are no older entries', async () => {
    const { feed, status } = setup({}, (_, count) => (count === 1 ? [entry(1)] : []));
    await status('ready');
    expect(feed.getState().hasOlder).toBe(true);
    await feed.loadOlder();
    expect(feed.getState()).toMatchObject({ hasOlder: false, entries: [entry(1)] });
  });
});

describe('a tail', () => {
  // Fails when the page doesn't say that entries may be late.
  test('that is lost says so until it is back', async () => {
    const { feed, status, tail } = setup({ live: 'on' }, () => [entry(1)]);
    await status('ready');
    await vi.waitFor(() => expect(feed.getState().live).toBe('on'));
    expect(tail().since).toBe(entry(1).timestamp);
    tail().onLost?.(createError('unavailable', 'lost'));
    expect(feed.getState().live).toBe('lost');
    tail().onFound?.();
    expect(feed.getState().live).toBe('on');
  });

  // Fails when a tail that the server refuses looks as if it went on.
  test('that is refused is off, with its error', async () => {
    const { feed, status, failTail } = setup({ live: 'on' }, () => [entry(1)]);
    await status('ready');
    failTail(createError('forbidden', 'You may not read this log.'));
    await vi.waitFor(() => expect(feed.getState().live).toBe('off'));
    expect(feed.getState()).toMatchObject({ entries: [entry(1)], error: { code: 'forbidden' } });
  });
});

// Fails when a view that was left still changes, or its requests go on.
test('a closed feed changes no more', async () => {
  const { feed, status, tail } = setup({ live: 'on' }, () => [entry(1)]);
  await status('ready');
  let changes = 0;
  feed.subscribe(() => changes++);
  feed.close();
  tail().onLost?.(createError('unavailable', 'lost'));
  feed.setPaused(true);
  await feed.loadOlder();
  expect([changes, feed.getState().live, feed.getState().isPaused]).toEqual([0, 'on', false]);
  expect(tail().signal?.aborted).toBe(true);
});
