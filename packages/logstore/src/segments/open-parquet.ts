import { join } from 'node:path';
import type { Clock, Logger } from '@berth/kit';
import type { ObjectStore } from '@berth/object-store';
import type { SegmentCatalogue } from '../ports/segment-catalogue.ts';
import type { LogEngine } from '../processes/log-engine/create-log-engine.ts';
import { createLineCopies, type LineCopies } from './line-copies.ts';
import { createSegmentCache } from './segment-cache.ts';
import { createSegmentStorage, type SegmentStorage } from './segment-storage.ts';

/** Dependencies of a log store for Parquet segments. The log store closes the engine, but neither catalog nor stores. */
export interface ParquetOptions {
  readonly engine: LogEngine;
  readonly catalogue: SegmentCatalogue;
  /** Store for new segments. When it is a folder of this machine, it may be the folder of the lines. */
  readonly store: ObjectStore;
  /** Stores of older segments, which are moved to `store`. */
  readonly formerStores?: readonly ObjectStore[];
  /** Maximum bytes of remote segments cached on this machine. Default: 1 GiB. */
  readonly cacheBytes?: number;
}

/** Engine, catalog and storage of Parquet segments. */
export interface ParquetStore {
  readonly engine: Pick<LogEngine, 'write' | 'inspect' | 'select' | 'count' | 'survey'>;
  readonly catalogue: SegmentCatalogue;
  readonly storage: SegmentStorage;
}

/** An open {@link ParquetStore}. */
export interface OpenParquet extends ParquetStore {
  readonly copies: LineCopies;
  close(): void;
}

const CACHE_BYTES = 2 ** 30;

/** @param folder for files that are created again at every start. */
export function openParquet(
  { engine, catalogue, store, formerStores, cacheBytes = CACHE_BYTES }: ParquetOptions,
  { folder, clock, logger }: { readonly folder: string; readonly clock: Clock; readonly logger: Logger },
): OpenParquet {
  const copies = createLineCopies({ folder: join(folder, 'copies'), engine, clock });
  const storage = createSegmentStorage({
    store,
    logger,
    ...(formerStores ? { formerStores } : {}),
    cache: createSegmentCache(join(folder, 'fetched'), cacheBytes),
    scratchFolder: join(folder, 'scratch'),
  });
  return {
    engine,
    catalogue,
    storage,
    copies,
    close() {
      copies.close();
      engine.close();
    },
  };
}
