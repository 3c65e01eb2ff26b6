import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { createSegmentCatalogue } from '@berth/control';
import { openDatabase } from '@berth/database';
import { type Clock, createSilentLogger } from '@berth/kit';
import { createFileLogStore, createLogEngine, type FileLogStore, type FileLogStoreOptions } from '@berth/logstore';
import { createFsObjectStore } from '@berth/object-store/fs';

/** A log store as the platform has it, and its database. */
export interface OpenLogStore {
  readonly logs: FileLogStore;
  close(): Promise<void>;
}

/** Opens the logs of a data folder, which no server may have open: logs have one writer. */
export async function openLogStore(
  dataFolder: string,
  clock: Clock,
  limits: FileLogStoreOptions['limits'] = {},
): Promise<OpenLogStore> {
  await mkdir(dataFolder, { recursive: true });
  const { db, close } = await openDatabase({ file: path.join(dataFolder, 'berth.db') });
  const folder = path.join(dataFolder, 'logs');
  const logger = createSilentLogger();
  const store = createFsObjectStore({ folder, clock });
  const logs = createFileLogStore({
    folder,
    clock,
    logger,
    limits,
    parquet: { engine: createLogEngine({ clock, logger }), catalogue: createSegmentCatalogue(db), store },
  });
  return {
    logs,
    async close() {
      await logs.close();
      await store.close();
      await close();
    },
  };
}
