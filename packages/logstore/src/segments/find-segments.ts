import { join } from 'node:path';
import type { Logger } from '@berth/kit';
import type { LogFiles } from '../lines/log-files.ts';
import {
  compareSegments,
  type LineSegment,
  type LogPlace,
  type ParquetSegment,
  type Segment,
} from '../ports/segment.ts';
import type { ParquetStore } from './open-parquet.ts';
import { type Reconciliation, reconcile } from './reconcile.ts';
import { parseSegmentName } from './segment-name.ts';

export interface FindSegmentsOptions {
  readonly place: LogPlace;
  /** Absolute path of the folder of its lines. */
  readonly folder: string;
  readonly files: LogFiles;
  readonly parquet?: ParquetStore | undefined;
  readonly logger: Logger;
}

/** Folders where earlier versions made Parquet segments. */
const WORK_FOLDER = /^tmp-/;

/**
 * Finds the segments of a log, oldest first, when it is opened. Compares stores on this machine with the catalog
 * first, and removes lines that are in Parquet already.
 * @param onSurplus called with objects to remove.
 */
export async function findSegments(
  options: FindSegmentsOptions,
  onSurplus: (surplus: Reconciliation['surplus']) => void,
): Promise<Segment[]> {
  const { files } = options;
  const kept: Segment[] = [];
  let heldUntil = '';
  for (const segment of [...(await findParquet(options, onSurplus)), ...(await findLines(options))].sort(
    compareSegments,
  )) {
    if (segment.kind === 'parquet' && segment.endsAt > heldUntil) heldUntil = segment.endsAt;
    if (segment.kind === 'lines' && segment.startsAt <= heldUntil) await files.remove(segment.path);
    else kept.push(segment);
  }
  return kept;
}

async function findParquet(
  { place, parquet, logger }: FindSegmentsOptions,
  onSurplus: (surplus: Reconciliation['surplus']) => void,
): Promise<readonly ParquetSegment[]> {
  if (!parquet) return [];
  let found = await parquet.catalogue.list(place);
  for (const { name: store } of parquet.storage.stores.filter((one) => one.isLocal)) {
    const change = await reconcile(found, { place, store, ...parquet, logger });
    found = await recordChange(parquet, place, found, change);
    onSurplus(change.surplus);
  }
  return found;
}

async function findLines({ folder, files }: FindSegmentsOptions): Promise<LineSegment[]> {
  const found: LineSegment[] = [];
  for (const name of await files.list(folder)) {
    const path = join(folder, name);
    const times = parseSegmentName(name);
    if (times && times.endsAt === undefined) {
      found.push({ kind: 'lines', path, startsAt: times.startsAt, sizeBytes: await files.size(path) });
    } else if (WORK_FOLDER.test(name)) await files.removeFolder(path);
  }
  return found;
}

/** Applies `change` to the catalog, and returns the segments it then lists. */
export async function recordChange(
  { catalogue }: ParquetStore,
  place: LogPlace,
  before: readonly ParquetSegment[],
  change: Reconciliation,
): Promise<readonly ParquetSegment[]> {
  if (change.add.length + change.remove.length === 0) return before;
  await catalogue.change(place, change);
  const gone = new Set(change.remove);
  return [...before.filter((segment) => !gone.has(segment.key)), ...change.add];
}
