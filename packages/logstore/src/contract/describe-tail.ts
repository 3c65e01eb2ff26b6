import type { Clock } from '@berth/kit';
import { describe, expect, test } from 'vitest';
import type { LogInput, LogScope, StoredEntry } from '../entry/log-entry.ts';
import type { LogStore } from '../ports/log-store.ts';

/** The aim is 100 ms; a busy machine gets more, a store that waits for its next commit or poll fails all the same. */
const TAIL_DELAY_MS = 250;

const SCOPE: LogScope = { account: 'acme', deployment: 'shop' };

/** The tests of `tail`; `open` as in the harness. */
export function describeTail(open: (clock?: Clock) => Promise<LogStore>): void {
  describe('tail', () => {
    test('starts at the call, not at the first read of it, and is live', async () => {
      const store = await open();
      await append(store, 'before');
      const end = new AbortController();
      const tail = store.tail(SCOPE, { signal: end.signal })[Symbol.asyncIterator]();
      await append(store, 'after the call');
      expect((await tail.next()).value.message).toBe('after the call');
      const waiting = tail.next();
      const startedMs = performance.now();
      await append(store, 'live');
      expect((await waiting).value.message).toBe('live');
      expect(performance.now() - startedMs).toBeLessThan(TAIL_DELAY_MS);
      end.abort();
      expect((await tail.next()).done).toBe(true);
    });

    test('replays from since and goes over to live without a gap or a double', async () => {
      const store = await open();
      await append(store, ...texts(0, 100));
      const since = (await store.read(SCOPE, { limit: 1000 }))[19]?.timestamp ?? '';
      const seen = collect(store, 480, since);
      for (let from = 100; from < 500; from += 4) await append(store, ...texts(from, 4));
      expect((await seen).map((entry) => entry.message)).toEqual(texts(20, 480));
    });

    test('a slow reader misses nothing', async () => {
      const store = await open();
      const end = new AbortController();
      const seen: string[] = [];
      const tail = store.tail(SCOPE, { signal: end.signal });
      const writer = (async () => {
        for (let from = 0; from < 5000; from += 500) await append(store, ...texts(from, 500));
      })();
      for await (const entry of tail) {
        seen.push(entry.message);
        if (seen.length === 1) await writer;
        if (seen.length === 5000) end.abort();
      }
      expect(seen).toEqual(texts(0, 5000));
    });

    test('several readers of one log are independent', async () => {
      const store = await open();
      const first = collect(store, 30);
      const second = collect(store, 10);
      await append(store, ...texts(0, 30));
      expect((await second).map((entry) => entry.message)).toEqual(texts(0, 10));
      expect((await first).map((entry) => entry.message)).toEqual(texts(0, 30));
    });

    test('hears nothing of other logs', async () => {
      const store = await open();
      const seen = collect(store, 1);
      await store.append({ ...SCOPE, deployment: 'other' }, [line('elsewhere')]);
      await append(store, 'here');
      expect((await seen)[0]?.message).toBe('here');
    });

    test('a since in the future waits for it', async () => {
      const store = await open();
      const end = new AbortController();
      const tail = store.tail(SCOPE, { since: '2999-01-01T00:00:00Z', signal: end.signal })[Symbol.asyncIterator]();
      const next = tail.next();
      await append(store, 'too early');
      await store.read(SCOPE, { limit: 1 });
      end.abort();
      expect(await next).toEqual({ done: true, value: undefined });
    });

    test('ends when the signal aborts, also before it began, and when the store closes', async () => {
      const store = await open();
      await append(store, 'one');
      const since = '1970-01-01T00:00:00Z';
      const aborted = store.tail(SCOPE, { since, signal: AbortSignal.abort() });
      expect(await aborted[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined });
      const end = new AbortController();
      const inMiddle: string[] = [];
      for await (const entry of store.tail(SCOPE, { since, signal: end.signal })) {
        inMiddle.push(entry.message);
        end.abort();
      }
      expect(inMiddle).toEqual(['one']);
      const endless = store.tail(SCOPE, { signal: new AbortController().signal })[Symbol.asyncIterator]();
      const waiting = endless.next();
      await store.close();
      expect((await waiting).done).toBe(true);
    });
  });
}

/** The first `count` entries of a tail that was begun before this function returns. */
function collect(store: LogStore, count: number, since?: string): Promise<StoredEntry[]> {
  const end = new AbortController();
  const tail = store.tail(SCOPE, { signal: end.signal, ...(since === undefined ? {} : { since }) });
  return (async () => {
    const seen: StoredEntry[] = [];
    for await (const entry of tail) {
      seen.push(entry);
      if (seen.length === count) end.abort();
    }
    return seen;
  })();
}

function line(message: string): LogInput {
  return { logName: 'stdout', severity: 'INFO', message };
}

function texts(from: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => String(from + index));
}

async function append(store: LogStore, ...messages: string[]): Promise<void> {
  await store.append(SCOPE, messages.map(line));
}
