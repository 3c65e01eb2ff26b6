import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createSilentLogger, createSystemClock } from '@berth/kit';
import type { ObjectStore } from '@berth/object-store';
import { createFakeObjectStore } from '@berth/testkit';
import { afterAll, expect, test } from 'vitest';
import type { FileLogStore } from '../ports/log-store.ts';
import type { LogPlace } from '../ports/segment.ts';
import { createLogEngine } from '../processes/log-engine/create-log-engine.ts';
import type { LogFilter } from '../query/filter/log-filter.ts';
import { parseFilter } from '../query/filter/parse-filter.ts';
import { createTemporaryStore, printed, SCOPE, type TemporaryStore } from '../testing/temporary-store.ts';

const clock = createSystemClock();
const engine = createLogEngine({ clock, logger: createSilentLogger(), threads: 1 });
afterAll(() => engine.close());
const PLACE: LogPlace = { account: SCOPE.account, deployment: SCOPE.deployment };

const VOLUME = { account: PLACE.account, storageId: PLACE.deployment };

interface RemoteFixture extends TemporaryStore {
  readonly objects: ObjectStore & { readonly opened: string[] };
  /** Keys of the segments in the store. */
  keys(): Promise<string[]>;
}

/** A log whose segments go to a store that is no folder; nine of them are small, and one becomes of eight. */
async function openFixture(
  options: { readonly cacheBytes?: number; readonly isLocalFirst?: boolean } = {},
): Promise<RemoteFixture> {
  const { folders: _, ...fake } = createFakeObjectStore({ clock });
  const opened: string[] = [];
  const objects = {
    ...fake,
    opened,
    open: (...given: Parameters<ObjectStore['open']>) => {
      opened.push(given[1]);
      return fake.open(...given);
    },
  };
  const { cacheBytes = 2 ** 20, isLocalFirst = false } = options;
  const settings = {
    cacheBytes,
    limits: { segmentBytes: 10_000 },
    createEngine: () => ({ ...engine, close() {} }),
    ...(isLocalFirst ? {} : { objects }),
  };
  const temporary = await createTemporaryStore(settings);
  // For the stores that are opened from now on.
  Object.assign(settings, { objects });
  const keys = async () => (await objects.list(VOLUME, { limit: 1_000 })).objects.map((object) => object.path);
  // Not spread: what it has last is asked for each time.
  return Object.assign(temporary, { objects, keys });
}

async function fill(fixture: RemoteFixture, count = 10): Promise<void> {
  for (let n = 0; n < count; n++) {
    const severity = n % 5 === 0 ? 'ERROR' : 'INFO';
    await fixture.store.append(SCOPE, [
      { logName: 'stdout', severity, message: `${n} ${'x'.repeat(10_000)}`, jsonPayload: { n } },
    ]);
    await fixture.store.flush();
  }
}

/** Until nine segments are in the store, eight of them as one. */
async function compacted(fixture: RemoteFixture): Promise<void> {
  const kept = async () => ({
    lines: (await readdir(fixture.logFolder)).length,
    keys: (await fixture.keys()).length,
    rows: (await fixture.catalogue.list(PLACE)).length,
  });
  await expect.poll(kept, { timeout: 30_000, interval: 20 }).toEqual({ lines: 1, keys: 2, rows: 2 });
}
const numbers = async (fixture: RemoteFixture, query = '') => {
  const filter = parseFilter(query) as LogFilter | undefined;
  const entries = await fixture.store.read(SCOPE, { limit: 1_000, ...(filter ? { filter } : {}) });
  return entries.map((entry) => Number.parseInt(entry.message, 10));
};
const ALL = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

test('segments are in the store alone, and everything is read as if they were here', { timeout: 60_000 }, async () => {
  await using fixture = await openFixture();
  await fill(fixture);
  await compacted(fixture);
  await expect.poll(() => readdir(fixture.logFolder)).toHaveLength(1);
  expect(await numbers(fixture)).toEqual(ALL);
  expect(await numbers(fixture, 'severity>=ERROR')).toEqual([0, 5]);
  const snapshot = await (fixture.store as FileLogStore).snapshot(SCOPE.account);
  expect(snapshot.files.filter((file) => file.includes(`${fixture.folder}-work/fetched/`))).toHaveLength(2);
  snapshot.release();
  // What was made here is here already; after a restart it is fetched, once.
  expect(fixture.objects.opened.filter((key) => !key.endsWith('.log')).length).toBeLessThanOrEqual(8);
  await fixture.store.close();
  fixture.objects.opened.length = 0;
  fixture.reopen();
  expect(await numbers(fixture)).toEqual(ALL);
  expect(await numbers(fixture)).toEqual(ALL);
  expect([...fixture.objects.opened].sort()).toEqual(await fixture.keys());
});

test('a store that does not answer is said, holds up no writer, and is gone over again', {
  timeout: 60_000,
}, async () => {
  await using fixture = await openFixture();
  await fill(fixture);
  await compacted(fixture);
  await fixture.store.close();
  const { list, open } = fixture.objects;
  const refuse = async () => Promise.reject(new Error('no answer'));
  Object.assign(fixture.objects, { list: refuse, open: refuse });
  fixture.reopen();
  await fixture.store.append(SCOPE, printed('10 more'));
  await fixture.store.flush();
  await expect(fixture.store.read(SCOPE, { limit: 1_000 })).rejects.toMatchObject({ code: 'unavailable' });
  expect((await fixture.store.read(SCOPE, { limit: 2 })).map((entry) => entry.message.slice(0, 7))).toEqual([
    expect.stringMatching(/^9 x/),
    '10 more',
  ]);
  Object.assign(fixture.objects, { list, open });
  expect(await numbers(fixture)).toEqual([...ALL, 10]);
});

test('objects that no row names are taken over, as after the loss of a database', { timeout: 60_000 }, async () => {
  await using fixture = await openFixture();
  await fill(fixture);
  await compacted(fixture);
  await fixture.store.close();
  const before = await fixture.catalogue.list(PLACE);
  await fixture.catalogue.change(PLACE, { add: [], remove: before.map((segment) => segment.key) });
  fixture.reopen();
  await expect.poll(() => numbers(fixture), { timeout: 20_000 }).toEqual(ALL);
  expect(await fixture.catalogue.list(PLACE)).toEqual(before);
});

test('a cache of less than the log is enough to read it', {
  timeout: 60_000,
}, async () => {
  await using fixture = await openFixture({ cacheBytes: 30_000 });
  await fill(fixture, 40);
  await expect.poll(async () => (await readdir(fixture.logFolder)).length, { timeout: 30_000 }).toBe(1);
  await expect.poll(async () => (await fixture.catalogue.list(PLACE)).length, { timeout: 30_000 }).toBeLessThan(12);
  const listed = await fixture.catalogue.list(PLACE);
  expect(await numbers(fixture)).toEqual(Array.from({ length: 40 }, (_, n) => n));
  const fetched = join(`${fixture.folder}-work`, 'fetched', 'fake', PLACE.account, PLACE.deployment);
  const here = (await readdir(fetched)).filter((name) => name.endsWith('.parquet'));
  const held = listed.filter((segment) => here.includes(segment.key));
  expect(held.reduce((sum, segment) => sum + segment.sizeBytes, 0)).toBeLessThanOrEqual(30_000);
});

test('segments that were made on this disk move to the store', { timeout: 60_000 }, async () => {
  await using fixture = await openFixture({ isLocalFirst: true });
  await fill(fixture);
  const stores = async () => [
    (await readdir(fixture.logFolder)).filter((name) => name.endsWith('.log')).length,
    ...(await fixture.catalogue.list(PLACE)).map((segment) => segment.store),
  ];
  await expect.poll(stores, { timeout: 30_000, interval: 20 }).toEqual([1, 'fs', 'fs']);
  await fixture.store.close();
  fixture.reopen();
  expect(await numbers(fixture)).toEqual(ALL);
  await expect.poll(stores, { timeout: 30_000, interval: 20 }).toEqual([1, 'fake', 'fake']);
  expect(await numbers(fixture)).toEqual(ALL);
  await expect.poll(async () => (await readdir(fixture.logFolder)).length).toBe(1);
});
