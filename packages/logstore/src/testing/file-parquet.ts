import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, createSilentLogger } from '@berth/kit';
import { createFsObjectStore } from '@berth/object-store/fs';
import type { LogPlace, ParquetSegment } from '../ports/segment.ts';
import type { SegmentCatalogue } from '../ports/segment-catalogue.ts';
import { createLogEngine } from '../processes/log-engine/create-log-engine.ts';
import type { ParquetOptions } from '../segments/open-parquet.ts';
import { createMemoryCatalogue } from './memory-catalogue.ts';

/** Segments beside the lines and their catalog in a file, so that they outlive a process. */
export async function openFileParquet(folder: string, clock: Clock): Promise<ParquetOptions> {
  mkdirSync(folder, { recursive: true });
  return {
    engine: createLogEngine({ clock, logger: createSilentLogger(), threads: 1 }),
    catalogue: await openFileCatalogue(join(folder, '.catalogue.json')),
    store: createFsObjectStore({ folder, clock }),
  };
}

type Kept = readonly (readonly [LogPlace, readonly ParquetSegment[]])[];

async function openFileCatalogue(file: string): Promise<SegmentCatalogue> {
  const memory = createMemoryCatalogue();
  const places = new Map<string, LogPlace>();
  const kept = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Kept) : [];
  for (const [place, add] of kept) {
    places.set(JSON.stringify(place), place);
    await memory.change(place, { add, remove: [] });
  }
  return {
    ...memory,
    async change(place, change) {
      places.set(JSON.stringify(place), place);
      await memory.change(place, change);
      const all = await Promise.all([...places.values()].map(async (one) => [one, await memory.list(one)] as const));
      writeFileSync(`${file}.new`, JSON.stringify(all));
      renameSync(`${file}.new`, file);
    },
  };
}
