import { createRecordingLogger } from '@berth/testkit';
import { describe, expect, test } from 'vitest';
import type { ParquetSegment, SegmentSummary } from '../ports/segment.ts';
import { findDifferences, type ReconcileOptions, reconcile } from './reconcile.ts';
import { parquetSegmentName } from './segment-name.ts';
import type { SegmentObject } from './segment-storage.ts';

const PLACE = { account: 'acme', deployment: 'shop' };

const time = (minute: number) => `2026-01-31T00:${String(minute).padStart(2, '0')}:00.000000000Z`;

/** An object with the entries of these minutes, both included. */
function objectOf(from: number, until: number, store = 's3'): SegmentObject {
  const [startsAt, endsAt] = [time(from), time(until)];
  return { key: parquetSegmentName(startsAt, endsAt), store, startsAt, endsAt, sizeBytes: 100 };
}

/** The row of such an object. */
function rowOf(from: number, until: number, store = 's3'): ParquetSegment {
  return { kind: 'parquet', ...objectOf(from, until, store), rows: 7, severities: 1 };
}

const keysOf = (segments: readonly { readonly key: string }[]) => segments.map(({ key }) => key).sort();

describe('differences', () => {
  const compare = (rows: readonly ParquetSegment[], objects: readonly SegmentObject[]) => {
    const { lost, found, surplus } = findDifferences(rows, 's3', objects);
    return { lost: keysOf(lost), found: keysOf(found), surplus: keysOf(surplus) };
  };
  const none = { lost: [], found: [], surplus: [] };

  test('there are none where each row has its object', () => {
    const rows = [rowOf(0, 9), rowOf(10, 19)];
    expect(compare(rows, [objectOf(10, 19), objectOf(0, 9)])).toEqual(none);
    expect(compare([], [])).toEqual(none);
  });

  // Fails when rows of other stores count as lost: their segments would leave the log when one store is looked through.
  test('a row is lost when its own store has no such object, whatever other stores have', () => {
    const rows = [rowOf(0, 9), rowOf(10, 19, 'fs'), rowOf(20, 29), rowOf(40, 49, 'fs')];
    expect(compare(rows, [objectOf(0, 9), objectOf(10, 19)])).toEqual({
      lost: [rowOf(20, 29).key],
      found: [],
      // The same entries as the row of the former store: a move that a crash interrupted before its row was changed.
      surplus: [objectOf(10, 19).key],
    });
  });

  // Fails when what a merge left behind is taken over: every entry in it would be read twice.
  test('objects whose entries a row covers are surplus: the parts of a merge, or a merge whose row is missing', () => {
    const parts = [objectOf(0, 9), objectOf(10, 19)];
    expect(compare([rowOf(0, 19)], [objectOf(0, 19), ...parts])).toEqual({ ...none, surplus: keysOf(parts) });
    const rows = [rowOf(0, 9), rowOf(10, 19)];
    expect(compare(rows, [...parts, objectOf(0, 19)])).toEqual({ ...none, surplus: [objectOf(0, 19).key] });
  });

  // Fails when bounds are compared as if the end were exclusive: one shared timestamp is one shared entry.
  test('one entry in common makes an object surplus, none makes it found', () => {
    expect(compare([rowOf(10, 19)], [objectOf(10, 19), objectOf(19, 25)])).toEqual({
      ...none,
      surplus: [objectOf(19, 25).key],
    });
    expect(compare([rowOf(10, 19)], [objectOf(10, 19), objectOf(20, 25), objectOf(0, 9)])).toEqual({
      ...none,
      found: keysOf([objectOf(0, 9), objectOf(20, 25)]),
    });
  });

  // Fails when the order of the list decides: without a catalog a merge and its parts would both be added.
  test('of unknown objects that overlap the longest is taken, in whatever order they are listed', () => {
    const parts = [objectOf(0, 9), objectOf(10, 19), objectOf(20, 29)];
    const objects = [...parts, objectOf(0, 29), objectOf(40, 49)];
    const expected = { ...none, found: keysOf([objectOf(0, 29), objectOf(40, 49)]), surplus: keysOf(parts) };
    for (const listed of [objects, objects.toReversed()]) expect(compare([], listed)).toEqual(expected);
  });

  // Fails when a lost row still covers: its entries would be removed from the store as surplus, and be nowhere.
  test('a lost row covers nothing: objects with its entries are taken over in its place', () => {
    const parts = [objectOf(0, 9), objectOf(10, 19)];
    expect(compare([rowOf(0, 19)], parts)).toEqual({ lost: [rowOf(0, 19).key], found: keysOf(parts), surplus: [] });
  });
});

describe('the change that brings both together', () => {
  function open(objects: readonly SegmentObject[], inspect: (path: string) => Promise<SegmentSummary | undefined>) {
    const lines: string[] = [];
    const held: string[] = [];
    const options: ReconcileOptions = {
      place: PLACE,
      store: 's3',
      engine: { inspect },
      logger: createRecordingLogger(lines),
      storage: {
        list: async () => objects,
        hold: async (_place, segments) => {
          held.push(...keysOf(segments));
          return {
            paths: segments.map(({ key }) => `/here/${key}`),
            [Symbol.dispose]: () => void held.splice(0),
          };
        },
      },
    };
    const logged = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    return { options, logged, held };
  }
  const summaryOf = ({ startsAt, endsAt }: SegmentObject): SegmentSummary => ({
    startsAt,
    endsAt,
    rows: 3,
    severities: 4,
  });

  // Fails when the row is made from the object's name alone, or the file is held for ever.
  test('what is found is added as its own file describes it', async () => {
    const object = objectOf(0, 9);
    const { options, logged, held } = open([object], async (path) =>
      path === `/here/${object.key}` ? summaryOf(object) : undefined,
    );
    expect(await reconcile([], options)).toEqual({
      add: [{ kind: 'parquet', ...object, rows: 3, severities: 4 }],
      remove: [],
      surplus: [],
    });
    expect(held).toEqual([]);
    expect(logged()).toMatchObject([{ level: 'info', lost: 0, found: 1, surplus: 0 }]);
  });

  // Fails when one file that can't be read keeps the log from being opened, or is removed: it may be readable tomorrow.
  test('an object that cannot be read is left where it is and reported; an empty one is left out', async () => {
    const [broken, whole, empty] = [objectOf(0, 9), objectOf(10, 19), objectOf(20, 29)];
    const { options, logged } = open([broken, whole, empty], async (path) => {
      if (path.includes(broken.key)) throw new Error('Invalid Input Error: no magic bytes');
      return path.includes(empty.key) ? undefined : summaryOf(whole);
    });
    const change = await reconcile([], options);
    expect([keysOf(change.add), change.remove, change.surplus]).toEqual([[whole.key], [], []]);
    expect(logged()).toMatchObject([
      { level: 'error', segment: broken.key, error: expect.stringContaining('no magic bytes') },
      { level: 'info', found: 1 },
    ]);
  });

  // Fails when lost entries are mentioned in passing: the catalog forgets them, so the operator reads it here or never.
  test('rows without an object are removed, with a warning', async () => {
    const { options, logged } = open([], async () => undefined);
    expect(await reconcile([rowOf(0, 9)], options)).toEqual({ add: [], remove: [rowOf(0, 9).key], surplus: [] });
    expect(logged()).toMatchObject([{ level: 'warn', ...PLACE, store: 's3', lost: 1 }]);
  });

  // Fails when a store that doesn't answer looks empty: every row would be lost.
  test('a store that does not answer changes nothing', async () => {
    const { options, logged } = open([], async () => undefined);
    const away = { ...options.storage, list: async () => Promise.reject(new Error('no answer')) };
    await expect(reconcile([rowOf(0, 9)], { ...options, storage: away })).rejects.toThrow('no answer');
    expect(logged()).toEqual([]);
  });
});
