import { describeError, type Logger } from '@berth/kit';
import type { LogPlace, ParquetSegment } from '../ports/segment.ts';
import type { CatalogueChange } from '../ports/segment-catalogue.ts';
import type { LogEngine } from '../processes/log-engine/create-log-engine.ts';
import type { SegmentObject, SegmentStorage } from './segment-storage.ts';

/**
 * Differences between a catalog and a store: left by a crash between two steps, by a restored database, or by
 * versions without a catalog.
 */
export interface Differences {
  /** In the catalog, but not in the store. */
  readonly lost: readonly ParquetSegment[];
  /**
   * In the store, but not in the catalog, at times that nothing in the catalog covers: their entries would be
   * missing.
   */
  readonly found: readonly SegmentObject[];
  /**
   * In the store, but not in the catalog, with entries that other segments have: they were merged from them, or into
   * them.
   */
  readonly surplus: readonly SegmentObject[];
}

/** Compares the cataloged segments of all stores with the objects in one of them. */
export function findDifferences(
  segments: readonly ParquetSegment[],
  store: string,
  objects: readonly SegmentObject[],
): Differences {
  const keys = new Set(objects.map((object) => object.key));
  const lost = segments.filter((segment) => segment.store === store && !keys.has(segment.key));
  const kept = segments.filter((segment) => !lost.includes(segment));
  const known = new Set(kept.filter((segment) => segment.store === store).map((segment) => segment.key));
  const found: SegmentObject[] = [];
  const surplus: SegmentObject[] = [];
  const covers = (one: SegmentObject) => (other: { readonly startsAt: string; readonly endsAt: string }) =>
    other.startsAt <= one.endsAt && one.startsAt <= other.endsAt;
  // Longest first: of two unknown segments that overlap, the longer was merged from the other.
  const unknown = objects.filter((object) => !known.has(object.key)).sort((one, other) => reach(other) - reach(one));
  for (const object of unknown) {
    const isCovered = kept.some(covers(object)) || found.some(covers(object));
    (isCovered ? surplus : found).push(object);
  }
  return { lost, found, surplus };
}

function reach({ startsAt, endsAt }: SegmentObject): number {
  return Date.parse(endsAt) - Date.parse(startsAt);
}

export interface ReconcileOptions {
  readonly place: LogPlace;
  readonly store: string;
  readonly storage: Pick<SegmentStorage, 'list' | 'hold'>;
  readonly engine: Pick<LogEngine, 'inspect'>;
  readonly logger: Logger;
}

/** The change that makes catalog and store agree. */
export interface Reconciliation extends CatalogueChange {
  /** Objects to remove after the catalog was changed. */
  readonly surplus: readonly SegmentObject[];
}

/**
 * Compares catalog and store.
 * @param segments the cataloged segments, of all stores.
 * @throws when the store does not respond.
 */
export async function reconcile(
  segments: readonly ParquetSegment[],
  { place, store, storage, engine, logger }: ReconcileOptions,
): Promise<Reconciliation> {
  const { lost, found, surplus } = findDifferences(segments, store, await storage.list(place, store));
  const add: ParquetSegment[] = [];
  for (const object of found) {
    try {
      using held = await storage.hold(place, [object]);
      const summary = await engine.inspect(held.paths[0] ?? '');
      if (summary) add.push({ kind: 'parquet', ...object, ...summary });
    } catch (error) {
      logger.error({ ...place, segment: object.key, error: describeError(error) }, 'a log segment cannot be read');
    }
  }
  const counts = { lost: lost.length, found: add.length, surplus: surplus.length };
  if (lost.length + add.length + surplus.length > 0) {
    // Entries are lost in that case, and this is the only report: the catalog forgets the segments.
    const level = lost.length > 0 ? 'warn' : 'info';
    logger[level]({ ...place, store, ...counts }, 'log segments and their catalog were reconciled');
  }
  return { add, remove: lost.map((segment) => segment.key), surplus };
}
