import { describeError, type Logger } from '@berth/kit';
import type { LogPlace, ParquetSegment } from '../ports/segment.ts';
import type { CatalogueChange } from '../ports/segment-catalogue.ts';
import type { LogEngine } from '../processes/log-engine/create-log-engine.ts';
import type { SegmentObject, SegmentStorage } from './segment-storage.ts';

/** How a catalogue and a store differ: what a crash between two steps left, a restored database, files that are older than catalogues. */
export interface Differences {
  /** In the catalogue, and not there. */
  readonly lost: readonly ParquetSegment[];
  /** There, and in no catalogue, with times that nothing in it covers: entries that would be missed. */
  readonly found: readonly SegmentObject[];
  /** There, and in no catalogue, holding what others hold: made of them, or made into them. */
  readonly surplus: readonly SegmentObject[];
}

/** Compares what the catalogue says of all stores with what there is in one of them. */
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
  // The longest first: of two that nobody knows of, the one that was joined holds the other.
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

/** What must change for catalogue and store to agree. */
export interface Reconciliation extends CatalogueChange {
  /** Objects to remove once the catalogue is changed. */
  readonly surplus: readonly SegmentObject[];
}

/** @param segments what the catalogue says, of all stores. @throws when the store does not answer. */
export async function reconcile(
  segments: readonly ParquetSegment[],
  { place, store, storage, engine, logger }: ReconcileOptions,
): Promise<Reconciliation> {
  const { lost, found, surplus } = findDifferences(segments, store, await storage.list(place, store));
  const add: ParquetSegment[] = [];
  for (const object of found) {
    try {
      const held = await storage.hold(place, [object]);
      try {
        const summary = await engine.inspect(held.paths[0] ?? '');
        if (summary) add.push({ kind: 'parquet', ...object, ...summary });
      } finally {
        held.release();
      }
    } catch (error) {
      logger.error({ ...place, segment: object.key, error: describeError(error) }, 'a log segment can not be read');
    }
  }
  const counts = { lost: lost.length, found: add.length, surplus: surplus.length };
  if (lost.length + add.length + surplus.length > 0) {
    // Entries are gone then, and this is the only time that it is told: the catalogue forgets them.
    const level = lost.length > 0 ? 'warn' : 'info';
    logger[level]({ ...place, store, ...counts }, 'log segments and their catalogue were brought together');
  }
  return { add, remove: lost.map((segment) => segment.key), surplus };
}
