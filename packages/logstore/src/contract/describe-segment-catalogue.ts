import { afterEach, describe, expect, test } from 'vitest';
import type { ParquetSegment } from '../ports/segment.ts';
import type { SegmentCatalogue } from '../ports/segment-catalogue.ts';

const SHOP = { account: 'acme', deployment: 'shop' };
const BLOG = { account: 'acme', deployment: 'blog' };
const RIVAL = { account: 'rival', deployment: 'shop' };

function segment(second: number, changes: Partial<ParquetSegment> = {}): ParquetSegment {
  const time = (nanos: number) => `2026-01-31T00:00:0${second}.00000000${nanos}Z`;
  return {
    kind: 'parquet',
    key: `${second}.parquet`,
    store: 'fs',
    startsAt: time(1),
    endsAt: time(9),
    rows: 2 ** 33,
    sizeBytes: 2 ** 40,
    severities: 0b1_0000_0001,
    ...changes,
  };
}

/** An empty catalog, and how it is closed. */
export interface CatalogueHarness {
  readonly catalogue: SegmentCatalogue;
  close(): Promise<void>;
}

/** The tests that every {@link SegmentCatalogue} passes. */
export function describeSegmentCatalogue(name: string, open: () => Promise<CatalogueHarness>): void {
  describe(`segment catalog: ${name}`, () => {
    let harness: CatalogueHarness | undefined;
    const openCatalogue = async () => {
      harness = await open();
      return harness.catalogue;
    };
    afterEach(async () => {
      await harness?.close();
      harness = undefined;
    });

    test('tells what was added, oldest first, and of no other log', async () => {
      const catalogue = await openCatalogue();
      await catalogue.change(SHOP, { add: [segment(2), segment(1)], remove: [] });
      await catalogue.change(RIVAL, { add: [segment(3)], remove: [] });
      expect(await catalogue.list(SHOP)).toEqual([segment(1), segment(2)]);
      expect(await catalogue.list(RIVAL)).toEqual([segment(3)]);
      expect(await catalogue.list(BLOG)).toEqual([]);
      expect(await catalogue.deployments('acme')).toEqual(['shop']);
      expect(await catalogue.deployments('nobody')).toEqual([]);
    });

    test('a change is made whole: what is removed goes, in the place of one may come another of its name', async () => {
      const catalogue = await openCatalogue();
      await catalogue.change(SHOP, { add: [segment(1), segment(2)], remove: [] });
      await catalogue.change(SHOP, { add: [segment(1, { store: 's3' })], remove: ['1.parquet', '2.parquet', 'none'] });
      expect(await catalogue.list(SHOP)).toEqual([segment(1, { store: 's3' })]);
      await catalogue.change(SHOP, { add: [], remove: ['1.parquet'] });
      expect(await catalogue.list(SHOP)).toEqual([]);
      expect(await catalogue.deployments('acme')).toEqual([]);
    });

    test('or not at all', async () => {
      const catalogue = await openCatalogue();
      await catalogue.change(SHOP, { add: [segment(1), segment(2)], remove: [] });
      const doubled = catalogue.change(SHOP, { add: [segment(3), segment(2)], remove: ['1.parquet'] });
      await expect(doubled).rejects.toThrow();
      expect(await catalogue.list(SHOP)).toEqual([segment(1), segment(2)]);
    });

    test('tells of each log when its oldest segment ends', async () => {
      const catalogue = await openCatalogue();
      await catalogue.change(SHOP, { add: [segment(2), segment(1)], remove: [] });
      await catalogue.change(BLOG, { add: [segment(3)], remove: [] });
      const oldest = [...(await catalogue.oldest())].sort((one, other) => (one.endsAt < other.endsAt ? -1 : 1));
      expect(oldest).toEqual([
        { place: SHOP, endsAt: segment(1).endsAt },
        { place: BLOG, endsAt: segment(3).endsAt },
      ]);
    });
  });
}
