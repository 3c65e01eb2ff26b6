import type { ControlPaths, TailOptions } from '@berth/client';
import { createFakeCalls } from '@berth/client/testing';
import type { LogEntry, LogsRequest } from '@berth/contract';
import { afterEach, expect, test, vi } from 'vitest';
import { createLogFeed, type LogFeed } from './log-feed.ts';
import { type LogsView, parseLogsView } from './logs-view.ts';

const NOW_MS = Date.parse('2026-01-02T00:00:00Z');
const at = (index: number) => new Date(NOW_MS - 3_000_000 + index * 100).toISOString();
const entryOf = (index: number): LogEntry => ({ timestamp: at(index), severity: 'INFO', message: String(index) });
const open: LogFeed[] = [];
afterEach(() => {
  for (const feed of open.splice(0)) feed.close();
});

/** Returns a log of `count` entries behind a fake client that applies time bounds as the server does. */
function setup(count: number, changes: Partial<LogsView> = {}) {
  const log = Array.from({ length: count }, (_, index) => entryOf(index));
  const requests: LogsRequest[] = [];
  let wake: () => void = () => {};
  const tails: TailOptions[] = [];
  const fetchLogs = (request: LogsRequest) => {
    requests.push(request);
    const bound = (operator: string) => new RegExp(`timestamp${operator}"([^"]+)"`).exec(request.query ?? '')?.[1];
    const [before, upTo] = [bound('<'), bound('<=')];
    const fit = log.filter(
      ({ timestamp }) =>
        (before === undefined || timestamp < before) &&
        (upTo === undefined || timestamp <= upTo) &&
        (!request.since || timestamp > request.since),
    );
    const logs = request.since ? fit.slice(0, request.limit) : fit.slice(-(request.limit ?? 100));
    return { logs, cursor: logs.at(-1)?.timestamp ?? null };
  };
  const client = {
    ...createFakeCalls<ControlPaths>({ 'POST /v1/deployment/logs': ({ body }) => fetchLogs(body as LogsRequest) }),
    async *tailLogs(_name: string, options: TailOptions = {}) {
      tails.push(options);
      let since = options.since ?? '';
      while (!options.signal?.aborted) {
        for (const entry of log.filter(({ timestamp }) => timestamp > since)) {
          since = entry.timestamp;
          yield entry;
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
  const later: (() => void)[] = [];
  const feed = createLogFeed(
    { ...parseLogsView({ deployment: 'shop' }), ...changes },
    { client, nowMs: () => NOW_MS, later: (work) => later.push(work) },
  );
  open.push(feed);
  return {
    feed,
    requests,
    tails,
    shown: () => feed.getState().entries.map(({ message }) => Number(message)),
    async write(more: number) {
      for (let left = more; left > 0; left--) log.push(entryOf(log.length));
      wake();
      await vi.waitFor(() => expect(later.length).toBeGreaterThan(0));
      for (const work of later.splice(0)) work();
    },
    ready: () => vi.waitFor(() => expect(feed.getState().status).toBe('ready')),
  };
}

const down = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, index) => from - index);

test('pages back to the first entry without gaps or duplicates', async () => {
  const { feed, shown, ready } = setup(450);
  await ready();
  expect(shown()).toEqual(down(449, 250));
  await Promise.all([feed.loadOlder(), feed.loadOlder()]);
  expect(shown()).toEqual(down(449, 50));
  await feed.loadOlder();
  await feed.loadOlder();
  expect(shown()).toEqual(down(449, 0));
  expect(feed.getState().hasOlder).toBe(false);
});

test('a link to an entry loads its surroundings and pages forward to the newest', async () => {
  const { feed, shown, ready } = setup(900, { entry: at(300) });
  await ready();
  expect(shown()).toEqual(down(325, 101));
  for (let page = 0; page < 4; page++) await feed.loadNewer();
  expect(shown()).toEqual(down(899, 101));
  expect(feed.getState().hasNewer).toBe(false);
});

test('tails from the newest entry; new entries wait while paused', async () => {
  const { feed, shown, ready, write, tails } = setup(10, { isLive: true, filter: 'a OR b', severity: 'ERROR' });
  await ready();
  await vi.waitFor(() => expect(tails).toHaveLength(1));
  expect(tails[0]).toMatchObject({ since: at(9), query: '(a OR b\n) AND severity>=ERROR' });
  await write(3);
  expect(shown()).toEqual(down(12, 0));
  feed.setPaused(true);
  await write(4);
  expect([shown().length, feed.getState().heldCount]).toEqual([13, 4]);
  feed.setPaused(false);
  expect([shown(), feed.getState().heldCount]).toEqual([down(16, 0), 0]);
});

test('too many waiting entries are dropped, and resuming starts at the newest', async () => {
  const { feed, shown, ready, write, tails } = setup(10, { isLive: true });
  await ready();
  await vi.waitFor(() => expect(tails).toHaveLength(1));
  feed.setPaused(true);
  await write(6_000);
  await vi.waitFor(() => expect(feed.getState()).toMatchObject({ heldCount: 5_000, isHeldOver: true }));
  expect(tails[0]?.signal?.aborted).toBe(true);
  feed.setPaused(false);
  await vi.waitFor(() => expect(shown()[0]).toBe(6_009));
  expect(shown()).toEqual(down(6_009, 5_810));
});

test('limits the entries that a tail shows', async () => {
  const { feed, ready, write, tails } = setup(10, { isLive: true });
  await ready();
  await vi.waitFor(() => expect(tails).toHaveLength(1));
  await write(20_100);
  await vi.waitFor(() => expect(feed.getState().entries).toHaveLength(20_000));
  expect(feed.getState()).toMatchObject({ hasOlder: true, entries: { 0: { message: '20109' } } });
});

// Fails when a hidden tab keeps its connection, or entries are missing or twice once it is visible again.
test('stops following the log, and goes on without a gap', async () => {
  const { feed, ready, write, tails, shown } = setup(3, { isLive: true });
  await ready();
  await write(1);
  feed.setFollowing(false);
  expect(tails.map(({ signal }) => signal?.aborted)).toEqual([true]);
  const before = shown();
  expect(before).toEqual(down(3, 0));
  feed.setFollowing(true);
  expect(tails.map(({ since }) => since)).toEqual([at(2), at(3)]);
  await write(2);
  await vi.waitFor(() => expect(shown()).toEqual(down(5, 0)));
});

// Fails when a tab that opens in the background starts to follow at once.
test('doesn’t follow the log before it is wanted', async () => {
  const { feed, ready, tails } = setup(3, { isLive: true });
  feed.setFollowing(false);
  await ready();
  expect(tails).toEqual([]);
  feed.setFollowing(true);
  expect(tails).toHaveLength(1);
});

test('an error of the server is in the state and keeps the entries', async () => {
  const error = new Error('down');
  const calls = createFakeCalls<ControlPaths>({ 'POST /v1/deployment/logs': () => Promise.reject(error) });
  const failing = { ...calls, tailLogs: vi.fn() };
  const feed = createLogFeed(parseLogsView({ deployment: 'shop' }), {
    client: failing,
    nowMs: () => NOW_MS,
    later() {},
  });
  open.push(feed);
  await vi.waitFor(() => expect(feed.getState()).toMatchObject({ status: 'failed', error }));
});
