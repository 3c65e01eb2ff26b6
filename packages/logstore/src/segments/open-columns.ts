import { join } from 'node:path';
import type { Clock, Logger } from '@berth/kit';
import type { ObjectStore } from '@berth/object-store';
import type { SegmentCatalogue } from '../ports/segment-catalogue.ts';
import type { LogEngine } from '../processes/log-engine/create-log-engine.ts';
import { createHotCopies, type HotCopies } from './line-copies.ts';
import { createSegmentCache } from './segment-cache.ts';
import { createSegmentShelf, type SegmentShelf } from './segment-storage.ts';

/** What a log store needs for segments of columns. It closes the engine, and nothing else. */
export interface ColumnsOptions {
  readonly engine: LogEngine;
  readonly catalogue: SegmentCatalogue;
  /** Where segments are put. One that is a folder of this machine may be the folder of the lines. */
  readonly store: ObjectStore;
  /** Where segments of former times are; they move to `store`. */
  readonly formerStores?: readonly ObjectStore[];
  /** Bytes that are kept on this machine of segments that are elsewhere; 1 GiB by default. */
  readonly cacheBytes?: number;
}

/** What segments of columns are made with, kept in and found by. */
export interface Columns {
  readonly engine: Pick<LogEngine, 'write' | 'inspect' | 'select' | 'count' | 'survey'>;
  readonly catalogue: SegmentCatalogue;
  readonly shelf: SegmentShelf;
}

/** Segments of columns, opened. */
export interface OpenColumns extends Columns {
  readonly copies: HotCopies;
  close(): void;
}

const CACHE_BYTES = 2 ** 30;

/** @param folder for what is made anew after every start. */
export function openColumns(
  { engine, catalogue, store, formerStores, cacheBytes = CACHE_BYTES }: ColumnsOptions,
  { folder, clock, logger }: { readonly folder: string; readonly clock: Clock; readonly logger: Logger },
): OpenColumns {
  const copies = createHotCopies({ folder: join(folder, 'copies'), engine, clock });
  const shelf = createSegmentShelf({
    ...{ store, logger },
    ...(formerStores ? { formerStores } : {}),
    cache: createSegmentCache(join(folder, 'fetched'), cacheBytes),
    scratchFolder: join(folder, 'scratch'),
  });
  return {
    ...{ engine, catalogue, shelf, copies },
    close() {
      copies.close();
      engine.close();
    },
  };
}
