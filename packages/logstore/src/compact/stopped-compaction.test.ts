import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSilentLogger, createSystemClock } from '@berth/kit';
import { createFsObjectStore } from '@berth/object-store/fs';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createFileLogStore } from '../create-file-log-store.ts';
import type { StoredEntry } from '../entry/log-entry.ts';
import { createNodeLogFiles } from '../lines/log-files.ts';
import type { FileLogStore } from '../ports/log-store.ts';
import { createLogEngine } from '../processes/log-engine/create-log-engine.ts';
import { createMemoryCatalogue } from '../testing/memory-catalogue.ts';
import { createStops, type StopPoint, type Stops } from '../testing/stops.ts';
import { printed, SCOPE } from '../testing/temporary-store.ts';

const clock = createSystemClock();
const logger = createSilentLogger();
/** One for all: a process takes longer to start than to do all of this. */
const engine = createLogEngine({ clock, logger, threads: 1 });
/** A log of ten line segments, of which nine become parquet and then one of eight. */
let lines = '';
let written: readonly StoredEntry[] = [];

beforeAll(async () => {
  lines = await mkdtemp(join(tmpdir(), 'berth-stops-'));
  const store = createFileLogStore({ folder: lines, clock, logger, limits: { segmentBytes: 10_000 } });
  for (let n = 0; n < 10; n++) {
    await store.append(SCOPE, printed(`${n} ${'x'.repeat(10_000)}`));
    await store.flush();
  }
  written = await store.read(SCOPE, { limit: 1_000 });
  await store.close();
});
afterAll(async () => {
  engine.close();
  await rm(lines, { recursive: true, force: true });
});

async function openWorld() {
  const folder = await mkdtemp(join(tmpdir(), 'berth-stops-'));
  onTestFinished(async () => {
    for (const made of [folder, `${folder}-work`]) await rm(made, { recursive: true, force: true });
  });
  await cp(lines, folder, { recursive: true });
  const objects = createFsObjectStore({ folder, clock });
  const catalogue = createMemoryCatalogue();
  const place = { account: SCOPE.account, deployment: SCOPE.deployment };
  return {
    catalogue,
    open(stops?: Stops): FileLogStore {
      const files = createNodeLogFiles();
      return createFileLogStore({
        folder,
        clock,
        logger,
        limits: { segmentBytes: 10_000 },
        files: stops ? stops.files(files) : files,
        parquet: {
          engine: { ...engine, close() {} },
          store: stops ? stops.objects(objects) : objects,
          catalogue: stops ? stops.catalogue(catalogue) : catalogue,
        },
      });
    },
    /** What there is: files of the log, and keys of its catalogue. */
    async kept() {
      const names = await readdir(join(folder, SCOPE.account, SCOPE.deployment));
      return {
        lines: names.filter((name) => name.endsWith('.log')).length,
        objects: names.filter((name) => name.endsWith('.parquet')).sort(),
        keys: (await catalogue.list(place)).map((segment) => segment.key).sort(),
      };
    },
  };
}

/** Until nine segments are parquet, eight of them one, and nothing else is there. */
async function settled(world: {
  kept(): Promise<{ lines: number; objects: string[]; keys: string[] }>;
}): Promise<void> {
  const kept = async () => {
    const { lines: left, objects, keys } = await world.kept();
    return { left, objects: objects.length, keys: keys.length };
  };
  await expect.poll(kept, { timeout: 30_000, interval: 10 }).toEqual({ left: 1, objects: 2, keys: 2 });
}

const readAll = (store: FileLogStore) => store.read(SCOPE, { limit: 1_000 });

const POINTS = (
  [
    ...(['put', 'change'] as const).flatMap((step) => [1, 9, 10].map((count) => [step, count] as const)),
    ['remove', 1],
    ['remove', 9],
    ['delete', 1],
    ['delete', 8],
  ] as const
).flatMap(([step, count]) => (['before', 'after'] as const).map((when): StopPoint => ({ step, when, count })));

test.each(POINTS)(
  'stopped $when $step $count: nothing is lost, nothing is twice, and nothing is left over',
  {
    timeout: 60_000,
  },
  async (point) => {
    const world = await openWorld();
    const stops = createStops(point);
    const first = world.open(stops);
    await readAll(first);
    await expect.poll(() => stops.isStopped, { timeout: 30_000, interval: 5 }).toBe(true);
    await first.close();
    const second = world.open();
    expect(await readAll(second)).toEqual(written);
    await settled(world);
    expect(await readAll(second)).toEqual(written);
    await second.close();
    const { objects, keys } = await world.kept();
    expect(objects).toEqual(keys);
  },
);

test('segments from before there was a catalog are taken over', { timeout: 60_000 }, async () => {
  const world = await openWorld();
  const first = world.open();
  await readAll(first);
  await settled(world);
  await first.close();
  const place = { account: SCOPE.account, deployment: SCOPE.deployment };
  const before = await world.catalogue.list(place);
  expect(before).toMatchObject([
    { rows: 1, severities: 0b100, store: 'fs', startsAt: written[0]?.timestamp, endsAt: written[0]?.timestamp },
    { rows: 8, severities: 0b100, store: 'fs', startsAt: written[1]?.timestamp, endsAt: written[8]?.timestamp },
  ]);
  await world.catalogue.change(place, { add: [], remove: before.map((segment) => segment.key) });
  const second = world.open();
  expect(await readAll(second)).toEqual(written);
  await second.close();
  expect(await world.catalogue.list(place)).toEqual(before);
});

test('a row whose file is gone hides nothing else', { timeout: 60_000 }, async () => {
  const world = await openWorld();
  const first = world.open();
  await readAll(first);
  await settled(world);
  await first.close();
  const place = { account: SCOPE.account, deployment: SCOPE.deployment };
  const [, joined] = await world.catalogue.list(place);
  const ghost = { ...joined, key: 'ghost.parquet' } as NonNullable<typeof joined>;
  // As after a restore: what the row names was joined into what no row names.
  await world.catalogue.change(place, { add: [ghost], remove: [joined?.key ?? ''] });
  const second = world.open();
  expect(await readAll(second)).toEqual(written);
  await second.close();
  expect((await world.catalogue.list(place))[1]).toEqual(joined);
});
