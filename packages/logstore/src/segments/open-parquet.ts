import { join } from 'node:path';
import type { Clock, Logger } from '@berth/kit';
import type { ObjectStore } from '@berth/object-store';
import type { SegmentCatalogue } from '../ports/segment-catalogue.ts';
import type { LogEngine } from '../processes/log-engine/create-log-engine.ts';
import { createLineCopies, type LineCopies } from './line-copies.ts';
import type { LinesToFile } from './lines-to-file.ts';
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

/** Engine and storage of Parquet segments. */
export interface ParquetFiles {
  readonly engine: Pick<LogEngine, 'write' | 'inspect' | 'select' | 'count' | 'survey'>;
  readonly storage: SegmentStorage;
}

/** Engine, catalog and storage of Parquet segments. */
export interface ParquetStore extends ParquetFiles {
  readonly catalogue: SegmentCatalogue;
}

/** Open {@link ParquetFiles}. */
export interface OpenParquet extends ParquetFiles {
  readonly copies: LineCopies;
  close(): void;
}

const CACHE_BYTES = 2 ** 30;

/** Where and how Parquet files are kept on this machine. */
export interface OpenParquetOptions {
  /** For files that are created again at every start. */
  readonly folder: string;
  readonly toFile: LinesToFile;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function openParquet(
  { engine, store, formerStores, cacheBytes = CACHE_BYTES }: Omit<ParquetOptions, 'catalogue'>,
  { folder, toFile, clock, logger }: OpenParquetOptions,
): OpenParquet {
  const copies = createLineCopies({ folder: join(folder, 'copies'), engine, toFile, clock });
  const storage = createSegmentStorage({
    store,
    logger,
    ...(formerStores ? { formerStores } : {}),
    cache: createSegmentCache(join(folder, 'fetched'), cacheBytes),
    scratchFolder: join(folder, 'scratch'),
  });
  return {
    engine,
    storage,
    copies,
    close() {
      copies.close();
      engine.close();
    },
  };
}
