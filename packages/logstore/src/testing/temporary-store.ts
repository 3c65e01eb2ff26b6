import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, createSilentLogger } from '@berth/kit';
import type { ObjectStore } from '@berth/object-store';
import { createFsObjectStore } from '@berth/object-store/fs';
import { createFileLogStore, type FileLogStoreOptions } from '../create-file-log-store.ts';
import type { LogInput, LogScope } from '../entry/log-entry.ts';
import type { LogStore } from '../ports/log-store.ts';
import type { SegmentCatalogue } from '../ports/segment-catalogue.ts';
import type { LogEngine } from '../processes/log-engine/create-log-engine.ts';
import { createMemoryCatalogue } from './memory-catalogue.ts';
import { createMovableClock, type MovableClock } from './movable-clock.ts';

/** A file log store in a folder of its own that goes with it. */
export interface TemporaryStore extends AsyncDisposable {
  /** The store opened last. */
  readonly store: LogStore;
  readonly clock: MovableClock;
  /** Where the entries of {@link SCOPE} are. */
  readonly logFolder: string;
  readonly folder: string;
  /** What the stores have one after another, where there is an engine. */
  readonly catalogue: SegmentCatalogue;
  /** A second store on the same folder; close the first one before, or leave it as a crash would. */
  reopen(): LogStore;
  /** The same with another clock. */
  reopenWith(clock: Clock): LogStore;
  /** Paths of the segments of {@link SCOPE}, oldest first. */
  segments(): Promise<string[]>;
  /** Messages of {@link SCOPE} in the order of the log. */
  messages(): Promise<string[]>;
}

export const SCOPE: LogScope = { account: 'acme', deployment: 'shop' };

/** Entries that a service printed. */
export function printed(...messages: readonly string[]): LogInput[] {
  return messages.map((message) => ({ logName: 'stdout', severity: 'INFO', message }));
}

export async function createTemporaryStore(
  options: Partial<Omit<FileLogStoreOptions, 'folder' | 'clock' | 'parquet'>> & {
    readonly nowMs?: number;
    /** Called for every store that is opened. */
    createEngine?(): LogEngine;
    readonly catalogue?: SegmentCatalogue;
    /** Where segments go: by default beside the lines, as files. */
    readonly objects?: ObjectStore;
    readonly cacheBytes?: number;
  } = {},
): Promise<TemporaryStore> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-logs-'));
  const clock = createMovableClock(options.nowMs ?? Date.parse('2026-01-31T00:00:00Z'));
  const logFolder = join(folder, SCOPE.account, SCOPE.deployment);
  const catalogue = options.catalogue ?? createMemoryCatalogue();
  const opened: LogStore[] = [];
  const open = (storeClock: Clock = clock) => {
    const { createEngine, nowMs: _, catalogue: __, objects, cacheBytes, ...settings } = options;
    const local = createFsObjectStore({ folder, clock });
    const stores = objects ? { store: objects, formerStores: [local] } : { store: local };
    const cache = cacheBytes === undefined ? {} : { cacheBytes };
    const parquet = createEngine && { engine: createEngine(), catalogue, ...stores, ...cache };
    const store = createFileLogStore({
      logger: createSilentLogger(),
      ...settings,
      ...(parquet ? { parquet } : {}),
      folder,
      clock: storeClock,
    });
    opened.push(store);
    return store;
  };
  open();
  const latest = () => opened.at(-1) as LogStore;
  return {
    get store() {
      return latest();
    },
    clock,
    folder,
    logFolder,
    catalogue,
    reopen: () => open(),
    reopenWith: open,
    segments: async () => (await readdir(logFolder)).sort().map((name) => join(logFolder, name)),
    messages: async () => {
      const entries = await latest().read(SCOPE, { limit: 1000 });
      return entries.map((entry) => entry.message);
    },
    async [Symbol.asyncDispose]() {
      for (const store of opened) await store.close();
      for (const made of [folder, `${folder}-work`]) await rm(made, { recursive: true, force: true });
    },
  };
}
