import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSilentLogger } from '@berth/kit';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { timestampMs } from '../entry/timestamp.ts';
import { createNodeLogFiles } from '../lines/log-files.ts';
import { encodeBody, encodeLine } from '../lines/record-line.ts';
import { nameOf, type ParquetSegment } from '../ports/segment.ts';
import type { SegmentCatalogue } from '../ports/segment-catalogue.ts';
import type { ParquetStore } from '../segments/open-parquet.ts';
import { parquetSegmentName } from '../segments/segment-name.ts';
import { createMemoryCatalogue } from '../testing/memory-catalogue.ts';
import { createSegmentWriter, type SegmentWriter } from './segment-writer.ts';

const PLACE = { account: 'acme', deployment: 'shop' };
const HOUR_MS = 3_600_000;

const time = (hour: number) => `2026-01-31T${String(hour).padStart(2, '0')}:00:00.000000000Z`;

function parquetOf(from: number, until: number, sizeBytes = 10): ParquetSegment {
  const [startsAt, endsAt] = [time(from), time(until)];
  const key = parquetSegmentName(startsAt, endsAt);
  return { kind: 'parquet', key, store: 's3', startsAt, endsAt, rows: 1, severities: 1, sizeBytes };
}

let folder: string;
/** The catalog, with a switch that makes every change fail. */
let catalogue: SegmentCatalogue & { failure: Error | undefined };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-writer-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const memory = createMemoryCatalogue();
  catalogue = {
    ...memory,
    failure: undefined,
    async change(place, change) {
      if (this.failure) throw this.failure;
      await memory.change(place, change);
    },
  };
});

async function open(limits: { readonly maxBytes?: number } = {}): Promise<SegmentWriter> {
  // A bucket: it is compared later, so opening the log reads the catalog alone.
  const storage = { stores: [{ name: 's3', isLocal: false }] };
  const writer = createSegmentWriter({
    place: PLACE,
    folder,
    files: createNodeLogFiles(),
    limits: { maxBytes: 1_000_000, segmentBytes: 1, segmentMs: 1_000 * HOUR_MS, ...limits },
    parquet: { catalogue, storage } as unknown as ParquetStore,
    logger: createSilentLogger(),
  });
  await writer.load();
  return writer;
}

/** Writes an entry of an hour, which starts a segment of its own. */
function write(writer: SegmentWriter, hour: number): Promise<void> {
  const body = encodeBody({ logName: 'stdout', severity: 'INFO', message: `hour ${hour}` });
  return writer.write(Buffer.from(encodeLine(time(hour), body)), time(hour), time(hour));
}

/** The segments as `lines <hour>` or `parquet <from>-<until>`. */
function shapeOf({ segments }: Pick<SegmentWriter, 'segments'>): string[] {
  const hour = (timestamp: string) => Number(timestamp.slice(11, 13));
  return segments.map((segment) =>
    segment.kind === 'lines'
      ? `lines ${hour(segment.startsAt)}`
      : `parquet ${hour(segment.startsAt)}-${hour(segment.endsAt)}`,
  );
}

const linePaths = ({ segments }: SegmentWriter) => segments.filter(({ kind }) => kind === 'lines').map(nameOf);

describe('replacing lines by the segment made of them', () => {
  // Fails when lines are removed before the row is there: a crash, or a catalog that refuses, would lose them.
  test('a catalog that refuses changes nothing, and the next try does', async () => {
    const writer = await open();
    for (const hour of [1, 2]) await write(writer, hour);
    const [first] = writer.segments;
    const [firstPath = ''] = linePaths(writer);
    catalogue.failure = new Error('the database is busy');
    await expect(writer.replace(first ? [first] : [], parquetOf(1, 1))).rejects.toThrow('busy');
    expect([shapeOf(writer), existsSync(firstPath), writer.takeGarbage()]).toEqual([['lines 1', 'lines 2'], true, []]);
    catalogue.failure = undefined;
    expect(await writer.replace(first ? [first] : [], parquetOf(1, 1))).toBe(true);
    expect([shapeOf(writer), existsSync(firstPath)]).toEqual([['parquet 1-1', 'lines 2'], false]);
    expect(await catalogue.list(PLACE)).toEqual([parquetOf(1, 1)]);
  });

  // Fails when the sources are looked up by number only: the merge would come back beside what took their place.
  test('sources that have left the log, or are no longer adjacent, are not replaced', async () => {
    const rows = [parquetOf(1, 1), parquetOf(2, 2), parquetOf(3, 3)];
    await catalogue.change(PLACE, { add: rows, remove: [] });
    const writer = await open();
    await write(writer, 9);
    const [one, two, three] = rows as [ParquetSegment, ParquetSegment, ParquetSegment];
    expect(await writer.replace([one, three], parquetOf(1, 3))).toBe(false);
    expect(await writer.replace([parquetOf(7, 7)], parquetOf(7, 8))).toBe(false);
    expect(await writer.replace([two, three, parquetOf(4, 4)], parquetOf(2, 4))).toBe(false);
    expect(await catalogue.list(PLACE)).toEqual(rows);
    expect(await writer.replace([two, three], parquetOf(2, 3))).toBe(true);
    expect(shapeOf(writer)).toEqual(['parquet 1-1', 'parquet 2-3', 'lines 9']);
    // Their objects are for the caller to remove, once.
    expect(writer.takeGarbage()).toEqual([two, three]);
    expect(writer.takeGarbage()).toEqual([]);
  });

  // Fails when the file goes at once: whoever reads it would find it missing.
  test('lines that somebody reads stay until they are let go of', async () => {
    const writer = await open();
    for (const hour of [1, 2]) await write(writer, hour);
    const [first] = writer.segments;
    const [path = ''] = linePaths(writer);
    const letGo = writer.holdLines(first?.kind === 'lines' ? [first] : []);
    await writer.replace(first ? [first] : [], parquetOf(1, 1));
    expect([shapeOf(writer), existsSync(path)]).toEqual([['parquet 1-1', 'lines 2'], true]);
    letGo();
    await expect.poll(() => existsSync(path)).toBe(false);
  });
});

describe('retention', () => {
  // Fails when objects go before their rows: the rows would name what is not there, and every search would stumble over them.
  test('a catalog that refuses keeps segments and lines', async () => {
    await catalogue.change(PLACE, { add: [parquetOf(1, 1)], remove: [] });
    const writer = await open();
    for (const hour of [2, 3]) await write(writer, hour);
    catalogue.failure = new Error('the database is busy');
    await expect(writer.trim(timestampMs(time(23)), HOUR_MS)).rejects.toThrow('busy');
    expect([shapeOf(writer), writer.takeGarbage()]).toEqual([['parquet 1-1', 'lines 2', 'lines 3'], []]);
    catalogue.failure = undefined;
    await writer.trim(timestampMs(time(23)), 20 * HOUR_MS);
    expect(shapeOf(writer)).toEqual(['lines 3']);
    expect([await catalogue.list(PLACE), writer.takeGarbage()]).toEqual([[], [parquetOf(1, 1)]]);
  });

  // Fails when a segment's age is that of its first entry: entries would go hours before their time.
  test('a segment goes when its last entry is too old, not its first', async () => {
    await catalogue.change(PLACE, { add: [parquetOf(1, 5), parquetOf(6, 7)], remove: [] });
    const writer = await open();
    await write(writer, 9);
    await writer.trim(timestampMs(time(12)), 8 * HOUR_MS);
    expect(shapeOf(writer)).toEqual(['parquet 1-5', 'parquet 6-7', 'lines 9']);
    await writer.trim(timestampMs(time(13)), 8 * HOUR_MS);
    expect(shapeOf(writer)).toEqual(['parquet 6-7', 'lines 9']);
  });

  // Fails when the newest segment counts as removable, or bytes in Parquet are not counted.
  test('over the size the oldest go, however many bytes they have, and the newest stays', async () => {
    await catalogue.change(PLACE, {
      add: [parquetOf(1, 1, 900), parquetOf(2, 2, 80), parquetOf(3, 3, 80)],
      remove: [],
    });
    const writer = await open({ maxBytes: 300 });
    await write(writer, 9);
    await writer.trim(timestampMs(time(9)));
    expect(shapeOf(writer)).toEqual(['parquet 2-2', 'parquet 3-3', 'lines 9']);
    const tiny = await open({ maxBytes: 1 });
    await tiny.trim(timestampMs(time(9)));
    expect(shapeOf(tiny)).toEqual(['lines 9']);
  });
});

describe('what a comparison with the store found', () => {
  // Fails when such a segment is added: the next start would remove the lines that it overlaps, with newer entries in them.
  test('a segment that overlaps lines is left out, one beside them is put in its place', async () => {
    const writer = await open();
    for (const hour of [4, 6]) await write(writer, hour);
    const surplus = [parquetOf(20, 20)];
    await writer.apply({ add: [parquetOf(1, 3), parquetOf(2, 4), parquetOf(5, 5)], remove: [], surplus });
    expect(shapeOf(writer)).toEqual(['parquet 1-3', 'lines 4', 'lines 6']);
    expect(writer.takeGarbage()).toEqual(surplus);
    expect(shapeOf(await open())).toEqual(['parquet 1-3', 'lines 4', 'lines 6']);
  });

  // Fails when the rows of lost objects stay in memory, or the change is only kept there.
  test('rows without an object leave the log and the catalog', async () => {
    await catalogue.change(PLACE, { add: [parquetOf(1, 1), parquetOf(2, 2)], remove: [] });
    const writer = await open();
    await writer.apply({ add: [], remove: [parquetOf(1, 1).key], surplus: [] });
    expect([shapeOf(writer), await catalogue.list(PLACE)]).toEqual([['parquet 2-2'], [parquetOf(2, 2)]]);
  });
});

describe('opening', () => {
  // Fails when the end of a Parquet segment is not heeded: a clock that went back would give a timestamp twice.
  test('the newest timestamp is that of Parquet where no lines are left', async () => {
    await catalogue.change(PLACE, { add: [parquetOf(1, 5)], remove: [] });
    const writer = await open();
    expect(writer.lastTimestamp).toBe(time(5));
    await write(writer, 6);
    expect([writer.lastTimestamp, shapeOf(writer)]).toEqual([time(6), ['parquet 1-5', 'lines 6']]);
  });

  // Fails when lines that Parquet holds are kept: their entries would be read twice.
  test('lines that start within a Parquet segment are removed, later ones stay', async () => {
    const before = await open();
    for (const hour of [2, 3, 6]) await write(before, hour);
    await catalogue.change(PLACE, { add: [parquetOf(1, 3)], remove: [] });
    const writer = await open();
    expect(shapeOf(writer)).toEqual(['parquet 1-3', 'lines 6']);
    expect(linePaths(before).map((path) => existsSync(path))).toEqual([false, false, true]);
  });
});
