import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LogDatabase, type Notices, openLogDatabase } from '@berth/database';
import { findPostgres, NO_POSTGRES, startPostgres, type TestPostgres } from '@berth/database/testing';
import { type Clock, createSilentLogger, createSystemClock } from '@berth/kit';
import {
  type BlockLogLimits,
  type BlockTable,
  createBlockLogStore,
  createLogEngine,
  type FileLogStore,
  type LogInput,
  type LogScope,
} from '@berth/logstore';
import type { ObjectStore } from '@berth/object-store';
import { createFsObjectStore } from '@berth/object-store/fs';
import type { Kysely } from 'kysely';
import { createBlockTable } from '../create-block-table.ts';

export const SCOPE: LogScope = { account: 'acme', deployment: 'shop' };
export const BEGINNING = '1970-01-01T00:00:00Z';

/** Names the tests that need Postgres, and says what is missing. */
export const postgres = findPostgres();
if (!postgres && process.env['CI'] === 'true') throw new Error(`CI must have everything, and this ${NO_POSTGRES}`);

/** Options of a store of {@link BlockStores}. */
export interface OpenBlockStoreOptions {
  readonly clock?: Clock;
  readonly limits?: Partial<BlockLogLimits>;
  /** Stands between the store and its table. */
  table?(table: BlockTable): BlockTable;
  notices?(notices: Notices): Pick<Notices, 'publish' | 'subscribe'>;
}

/** Several servers' log stores on one log database and one object store. */
export interface BlockStores extends AsyncDisposable {
  readonly db: Kysely<LogDatabase>;
  readonly table: BlockTable;
  readonly objects: ObjectStore;
  open(options?: OpenBlockStoreOptions): Promise<FileLogStore>;
  /** Keys of the objects of {@link SCOPE}, cataloged or not. */
  keys(): Promise<readonly string[]>;
}

/** Starts a Postgres server for a test file. */
export function startLogServer(): Promise<TestPostgres> {
  if (!postgres) throw new Error(NO_POSTGRES);
  return startPostgres(postgres);
}

export async function openBlockStores({ url }: Pick<TestPostgres, 'url'>): Promise<BlockStores> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-blocks-'));
  const schema = `logs_${randomUUID().replaceAll('-', '')}`;
  const clock = createSystemClock();
  const objects = createFsObjectStore({ folder: join(folder, 'objects'), clock });
  const own = await openLogDatabase({ url, schema });
  const closes: (() => Promise<void>)[] = [];
  return {
    db: own.db,
    table: createBlockTable(own.db),
    objects,
    async open(options = {}) {
      // Each server has connections of its own.
      const database = await openLogDatabase({ url, schema });
      const table = createBlockTable(database.db);
      const store = createBlockLogStore({
        table: options.table?.(table) ?? table,
        notices: options.notices?.(database.notices) ?? database.notices,
        workFolder: join(folder, `work-${closes.length}`),
        clock: options.clock ?? clock,
        logger: createSilentLogger(),
        limits: options.limits ?? {},
        parquet: {
          engine: createLogEngine({ clock, logger: createSilentLogger(), threads: 1 }),
          store: objects,
        },
      });
      closes.push(async () => {
        await store.close();
        await database.close();
      });
      return store;
    },
    async keys() {
      const volume = { account: SCOPE.account, storageId: SCOPE.deployment };
      const page = await objects.list(volume, { after: undefined, limit: 1_000 });
      return page.objects.map(({ path }) => path);
    },
    async [Symbol.asyncDispose]() {
      for (const close of closes) await close();
      await own.close();
      await objects.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Entries that a service printed. */
export function printed(...messages: readonly string[]): LogInput[] {
  return messages.map((message) => ({ logName: 'stdout', severity: 'INFO', message }));
}

/** Messages of {@link SCOPE} in the order of the log. @throws Error when a timestamp does not rise. */
export async function readAll(store: FileLogStore): Promise<string[]> {
  const messages: string[] = [];
  for (let since = BEGINNING; ; ) {
    const page = await store.read(SCOPE, { limit: 1_000, since });
    if (page.length === 0) return messages;
    for (const { timestamp, message } of page) {
      if (timestamp <= since && since !== BEGINNING) throw new Error(`${timestamp} is not after ${since}`);
      since = timestamp;
      messages.push(message);
    }
  }
}
