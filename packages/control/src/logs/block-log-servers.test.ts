import { NO_POSTGRES, type TestPostgres } from '@berth/database/testing';
import { BerthError, createSystemClock } from '@berth/kit';
import type { BlockTable, FileLogStore, LogLease } from '@berth/logstore';
import { waitUntil } from '@berth/testkit';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  BEGINNING,
  type BlockStores,
  openBlockStores,
  postgres,
  printed,
  readAll,
  SCOPE,
  startLogServer,
} from './testing/open-block-stores.ts';

/** The promise to a tail on another server. */
const TAIL_DELAY_MS = 250;

/** Every few blocks make a segment; nothing waits for garbage or for a lease to be looked at. */
const SMALL = { segmentBytes: 8_000, writeCharacters: 1_000, openBlocks: 8, garbageMs: 0, dueMs: 50, leaseMs: 1_000 };
/** Nothing is compacted. */
const IDLE = { dueMs: 3_600_000 };

const numbers = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => `${from + index} ${'x'.repeat(100)}`);

describe.skipIf(!postgres)(postgres ? 'log stores of several servers' : `log stores: ${NO_POSTGRES}`, () => {
  let server: TestPostgres;
  let stores: BlockStores;
  beforeAll(async () => {
    server = await startLogServer();
  });
  beforeEach(async () => {
    stores = await openBlockStores(server);
  });
  afterEach(() => stores[Symbol.asyncDispose]());
  afterAll(() => server?.close());

  /** Opens a tail whose start is settled. */
  async function follow(store: FileLogStore, signal: AbortSignal) {
    const tail = store.tail(SCOPE, { signal })[Symbol.asyncIterator]();
    await store.read(SCOPE, { limit: 1 });
    return tail;
  }

  // Fails when cursors come from the clocks of the servers: those of the slow one would be behind what a reader has seen.
  test('two servers append to one log: cursors rise, each keeps its order, nothing is lost or twice', async () => {
    const slow = { nowMs: () => Date.parse('2026-01-31T00:00:00Z') };
    const fast = { nowMs: () => Date.parse('2026-01-31T01:00:00Z') };
    const servers = await Promise.all(
      [slow, fast].map((own) =>
        stores.open({ clock: { ...createSystemClock(), ...own }, limits: { ...IDLE, writeCharacters: 300 } }),
      ),
    );
    await Promise.all(
      servers.map(async (store, index) => {
        for (let n = 0; n < 100; n++) {
          await store.append(SCOPE, printed(`${index}:${n}`));
          if (n % 7 === 0) await store.flush();
        }
        await store.flush();
      }),
    );
    const messages = await readAll(servers[0] as FileLogStore);
    expect(messages).toHaveLength(200);
    for (const index of [0, 1]) {
      const own = messages.filter((message) => message.startsWith(`${index}:`));
      expect(own).toEqual(Array.from({ length: 100 }, (_, n) => `${index}:${n}`));
    }
    expect(await readAll(servers[1] as FileLogStore)).toEqual(messages);
  });

  test('a tail has an entry of another server in time, and entries of both in one order', async () => {
    const [writer, reader] = [await stores.open({ limits: IDLE }), await stores.open({ limits: IDLE })];
    const end = new AbortController();
    const tail = await follow(reader, end.signal);
    const lagsMs: number[] = [];
    for (let n = 0; n < 15; n++) {
      const startedMs = performance.now();
      await writer.append(SCOPE, printed(`live ${n}`));
      const { value } = await tail.next();
      lagsMs.push(performance.now() - startedMs);
      expect(value?.message).toBe(`live ${n}`);
    }
    end.abort();
    // The median: a busy machine gets more for some of them.
    expect(lagsMs.sort((one, other) => one - other)[7]).toBeLessThan(TAIL_DELAY_MS);
  });

  // Fails when a tail depends on notices, which can get lost.
  test('a tail has entries of another server without any notice', async () => {
    const writer = await stores.open({ limits: IDLE });
    const silent = () => ({ publish: async () => {}, subscribe: () => () => {} });
    const reader = await stores.open({ limits: { ...IDLE, pollMs: 100 }, notices: silent });
    const end = new AbortController();
    const tail = await follow(reader, end.signal);
    await writer.append(SCOPE, printed('unannounced'));
    expect((await tail.next()).value?.message).toBe('unannounced');
    end.abort();
  });

  // Fails when blocks leave the table before or after their segment is part of the log.
  test('readers see every entry once while the log is compacted, merged and read elsewhere', {
    timeout: 60_000,
  }, async () => {
    const [writer, reader] = [
      await stores.open({ limits: SMALL }),
      await stores.open({ limits: { ...SMALL, ...IDLE } }),
    ];
    const expected: string[] = [];
    let isDone = false;
    const reading = (async () => {
      let rounds = 0;
      for (; !isDone || rounds === 0; rounds++) {
        const known = expected.length;
        const seen = await readAll(reader);
        expect(seen.length).toBeGreaterThanOrEqual(known);
        expect(seen).toEqual(numbers(0, seen.length));
      }
      return rounds;
    })();
    for (let n = 0; n < 900; n += 20) {
      await writer.append(SCOPE, printed(...numbers(n, 20)));
      await writer.flush();
      expected.push(...numbers(n, 20));
    }
    await waitUntil('segments are merged', async () => {
      const { segments, blocks } = await stores.table.list(SCOPE);
      return blocks.length <= 8 && segments.some(({ rows }) => rows >= 300);
    });
    isDone = true;
    expect(await reading).toBeGreaterThan(1);
    expect(await readAll(reader)).toEqual(expected);
    const span = { fromMs: 0, untilMs: 8e15, buckets: 1, budgetMs: 60_000 };
    expect(await reader.count(SCOPE, span)).toEqual({ buckets: [{ INFO: 900 }] });
    // Objects that were merged go, and only they.
    await waitUntil('replaced objects are removed', async () => {
      const { segments } = await stores.table.list(SCOPE);
      const keys = await stores.keys();
      return keys.length === segments.length && segments.every(({ key }) => keys.includes(key));
    });
  });

  // Before the change, the object is put, and the catalog doesn't list it.
  describe.each(['before announce', 'after announce', 'before change', 'after change'] as const)(
    'a compactor killed %s',
    (point) => {
      // Fails when a step leaves an entry out, twice, or an object that nothing removes.
      test('another server goes on, nothing is lost or twice, and nothing is left over', {
        timeout: 60_000,
      }, async () => {
        let isKilled = false;
        const dying = (table: BlockTable): BlockTable => {
          const dieAround =
            <Given extends unknown[], Value>(name: string, work: (...given: Given) => Promise<Value>) =>
            async (...given: Given): Promise<Value> => {
              isKilled ||= point === `before ${name}`;
              const value = isKilled ? undefined : await work(...given);
              isKilled ||= point === `after ${name}`;
              if (isKilled) throw new Error('killed');
              return value as Value;
            };
          return {
            ...table,
            announce: dieAround('announce', table.announce),
            change: dieAround('change', table.change),
            lease: dieAround('lease', table.lease),
          };
        };
        const dead = await stores.open({ limits: SMALL, table: dying });
        for (let n = 0; n < 100; n += 20) await dead.append(SCOPE, printed(...numbers(n, 20)));
        await dead.flush();
        await waitUntil('the compactor is killed', () => isKilled);
        const next = await stores.open({ limits: SMALL });
        await waitUntil('another server compacts', async () => (await stores.table.list(SCOPE)).blocks.length <= 8);
        expect(await readAll(next)).toEqual(numbers(0, 100));
        await waitUntil('nothing is left over', async () => {
          const { segments } = await stores.table.list(SCOPE);
          const names = segments.map(({ key }) => key).sort();
          return JSON.stringify(names) === JSON.stringify([...(await stores.keys())].sort());
        });
      });
    },
  );

  // Fails when a change is checked by the clock of its server, or not at all.
  test('the late change of a paused compactor is refused', async () => {
    const store = await stores.open({ limits: { ...IDLE, writeCharacters: 1_000 } });
    await store.append(SCOPE, printed(...numbers(0, 100)));
    await store.flush();
    const { table } = stores;
    const paused = (await table.lease(SCOPE, 'paused', 0)) as LogLease;
    const object = { key: 'late.parquet', store: 'fs' };
    expect(await table.announce(SCOPE, paused, object)).toBe(true);
    const taken = (await table.lease(SCOPE, 'next', 60_000)) as LogLease;
    expect(taken.epoch).toBe(paused.epoch + 1);
    expect(await table.lease(SCOPE, 'paused', 60_000, paused.epoch)).toBeUndefined();
    const { blocks } = await table.list(SCOPE);
    const summary = {
      startsAt: blocks[0]?.startsAt ?? '',
      endsAt: blocks.at(-1)?.endsAt ?? '',
      rows: 1,
      severities: 1,
    };
    const add = { kind: 'parquet' as const, ...object, ...summary, sizeBytes: 1 };
    const late = { add, remove: [], sealedUntil: summary.endsAt };
    expect(await table.change(SCOPE, paused, late)).toBe(false);
    expect(await table.announce(SCOPE, paused, object)).toBe(false);
    expect((await table.list(SCOPE)).segments).toEqual([]);
    expect(await readAll(store)).toEqual(numbers(0, 100));
    // What is garbage no more, because it was removed meanwhile, can't be added by the holder either.
    await table.forget(SCOPE, taken, [object]);
    expect(await table.change(SCOPE, taken, late)).toBe(false);
  });

  // Fails when an append whose answer was lost is made again under another identity, or its losses are told twice.
  test('a commit whose answer is lost is not repeated', async () => {
    let failures = 3;
    const lossy = (table: BlockTable): BlockTable => ({
      ...table,
      async append(...given) {
        const head = await table.append(...given);
        if (failures-- > 0) throw new Error('the connection ended before the answer');
        return head;
      },
    });
    const store = await stores.open({ limits: IDLE, table: lossy });
    await store.append(SCOPE, printed('a', 'b'));
    await expect(store.flush()).rejects.toSatisfy((error) => BerthError.is(error, 'unavailable'));
    await store.append(SCOPE, printed('c'));
    await waitUntil('all is appended', () =>
      store.flush().then(
        () => true,
        () => false,
      ),
    );
    await store.append(SCOPE, printed('d'));
    expect(await readAll(store)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('entries outlast a database that stops, and what does not fit is counted in the log', {
    timeout: 90_000,
  }, async () => {
    const limits = { ...IDLE, bufferCharacters: 5_000, writeCharacters: 1_000 };
    const store = await stores.open({ limits });
    await store.append(SCOPE, printed('before'));
    await store.flush();
    await server.stop();
    try {
      await store.append(SCOPE, printed(...numbers(0, 10)));
      await expect(store.flush()).rejects.toSatisfy((error) => BerthError.is(error, 'unavailable'));
      await expect(store.read(SCOPE, { limit: 1 })).rejects.toSatisfy((error) => BerthError.is(error, 'unavailable'));
      // Nothing waits for the database.
      for (let n = 10; n < 100; n += 10) expect(store.append(SCOPE, printed(...numbers(n, 10)))).toBeUndefined();
    } finally {
      await server.start();
    }
    await waitUntil('all is appended', () =>
      store.flush().then(
        () => true,
        () => false,
      ),
    );
    await store.append(SCOPE, printed('after'));
    const messages = await readAll(store);
    const kept = messages.filter((message) => message.endsWith('x')).length;
    expect(kept).toBeGreaterThanOrEqual(30);
    expect(kept).toBeLessThan(100);
    const told = `${100 - kept} log entries were lost: the log database couldn't be reached`;
    expect(messages).toEqual(['before', ...numbers(0, kept), told, 'after']);
  });

  test('blocks are truncated with their partition, when all of it is in Parquet', { timeout: 60_000 }, async () => {
    const store = await stores.open({ limits: { ...SMALL, openMs: 0 } });
    const stored = async () =>
      (await stores.db.selectFrom('log_blocks').select('slot').execute()).map(({ slot }) => slot);
    // The store may switch first: a partition that is in use already must not be switched away.
    const rotateTo = async (slot: number) => {
      await sql`update log_slots set since = now() - interval '1 hour' where slot <> ${slot}`.execute(stores.db);
      await stores.table.reclaim();
      return (await stores.db.selectFrom('log_slots').select('slot').executeTakeFirstOrThrow()).slot;
    };
    await store.append(SCOPE, printed(...numbers(0, 50)));
    await store.flush();
    await waitUntil('the other partition is in use', async () => (await rotateTo(1)) === 1);
    await store.append(SCOPE, printed(...numbers(50, 50)));
    await store.flush();
    expect(new Set(await stored())).toEqual(new Set([0, 1]));
    await waitUntil('all is in Parquet', async () => (await stores.table.list(SCOPE)).blocks.length === 0);
    // The store does it too.
    await waitUntil('the first partition is in use again', async () => (await rotateTo(0)) === 0);
    expect(new Set(await stored())).toEqual(new Set([1]));
    expect(await readAll(store)).toEqual(numbers(0, 100));
    // A partition with open blocks stays as it is.
    const idle = await stores.open({ limits: IDLE });
    await store.close();
    await idle.append(SCOPE, printed('open'));
    await idle.flush();
    expect(await rotateTo(1)).toBe(1);
    expect(await rotateTo(0)).toBe(1);
    expect((await idle.read(SCOPE, { limit: 1, since: BEGINNING })).length).toBe(1);
    expect((await readAll(idle)).at(-1)).toBe('open');
  });

  test('retention removes the oldest segments and blocks, by size and age', { timeout: 60_000 }, async () => {
    const store = await stores.open({ limits: { ...SMALL, maxBytes: 20_000 } });
    for (let n = 0; n < 400; n += 20) {
      await store.append(SCOPE, printed(...numbers(n, 20).map((text) => `${text}${Math.random()}`)));
      await store.flush();
    }
    await waitUntil('the oldest are gone', async () => {
      const [first] = await store.read(SCOPE, { limit: 1, since: BEGINNING });
      return !first?.message.startsWith('0 ');
    });
    expect((await readAll(store)).at(-1)).toMatch(/^399 /);
    await store.close();
    const old = await stores.open({ limits: { ...SMALL, maxAgeMs: 1, sweepMs: 20 } });
    await waitUntil('all is gone', async () => (await readAll(old)).length === 0);
    await old.append(SCOPE, printed('new'));
  });
});
