import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createError } from '@berth/contract';
import { type Logger, runInBackground } from '@berth/kit';
import type { ObjectStore, VolumePlace } from '@berth/object-store';
import type { LogPlace, ParquetSegment, SegmentSummary } from '../ports/segment.ts';
import { createPins } from './pins.ts';
import type { CachedFile, HeldFiles, SegmentCache } from './segment-cache.ts';
import { parquetSegmentName, parseSegmentName } from './segment-name.ts';

/** A segment's object, as far as its key tells. */
export type SegmentObject = Pick<ParquetSegment, 'key' | 'store' | 'startsAt' | 'endsAt' | 'sizeBytes'>;

/** Stores Parquet segments in object stores, and provides them as local files for reading. */
export interface SegmentStorage {
  /** Name of the store for new segments. */
  readonly storeName: string;
  /** All stores. A local store is a folder of this machine, which is cheap to list. */
  readonly stores: readonly { readonly name: string; readonly isLocal: boolean }[];
  /** Returns a path for a new file, in a folder that is emptied at the start. */
  scratch(): Promise<string>;
  /** Moves a local file into the store for new segments. Durable when it resolves; not cataloged yet. @param key made from its times by default. */
  put(place: LogPlace, file: string, summary: SegmentSummary, key?: string): Promise<ParquetSegment>;
  /** Maximum bytes that can be held at once. */
  readonly holdBytes: number;
  /** Keeps the segments' objects until the returned function is called. Synchronous. */
  pin(place: LogPlace, segments: readonly Pick<SegmentObject, 'key' | 'store'>[]): () => void;
  /**
   * Provides the segments as local files, in order.
   * @throws the system's `ENOENT` when a segment is gone; `unavailable` when its store does not respond or is not
   * configured.
   */
  hold(place: LogPlace, segments: readonly SegmentObject[], signal?: AbortSignal): Promise<HeldFiles>;
  /** Removes a segment's object, once it is no longer held. */
  remove(place: LogPlace, segment: Pick<SegmentObject, 'key' | 'store'>): Promise<void>;
  /** Lists the segments of a log in one store, cataloged or not. */
  list(place: LogPlace, store: string): Promise<readonly SegmentObject[]>;
}

export interface SegmentStorageOptions {
  /** Store for new segments. */
  readonly store: ObjectStore;
  /** Stores of older segments. */
  readonly formerStores?: readonly ObjectStore[];
  /** Cache for segments of remote stores. */
  readonly cache: SegmentCache;
  readonly scratchFolder: string;
  readonly logger: Logger;
}

/** Objects per list request. */
const PAGE = 1_000;

export function createSegmentStorage(options: SegmentStorageOptions): SegmentStorage {
  const { store: current, formerStores = [], cache, scratchFolder, logger } = options;
  const byName = new Map([current, ...formerStores].map((store) => [store.name, store]));
  const pins = createPins();
  const emptied = rm(scratchFolder, { recursive: true, force: true });
  emptied.catch(() => {});

  function storeOf(name: string): ObjectStore {
    const store = byName.get(name);
    if (store) return store;
    throw createError(
      'unavailable',
      `Part of this log is in a store ("${name}") that this server is not configured for. The operator can set BERTH_S3_LOG_BUCKET to it.`,
    );
  }

  const idOf = (place: LogPlace, { key, store }: Pick<SegmentObject, 'key' | 'store'>) =>
    join(store, place.account, place.deployment, key);
  const fileOf = (place: LogPlace, segment: SegmentObject) => ({
    name: idOf(place, segment),
    sizeBytes: segment.sizeBytes,
  });

  const pin: SegmentStorage['pin'] = (place, segments) => pins.hold(segments.map((segment) => idOf(place, segment)));

  async function holdLocal(store: ObjectStore, place: LogPlace, segments: readonly SegmentObject[]) {
    const folder = (await store.folders?.ensure(toVolume(place), '')) ?? '';
    return segments.map((segment) => join(folder, segment.key));
  }

  async function fetchTo(place: LogPlace, segment: SegmentObject, target: string): Promise<void> {
    await using object = await storeOf(segment.store).open(toVolume(place), segment.key);
    if (!object) throw Object.assign(new Error(`no such segment: ${segment.key}`), { code: 'ENOENT' });
    await pipeline(object.read(), createWriteStream(target, { mode: 0o600 }));
  }

  return {
    storeName: current.name,
    stores: [...byName.values()].map(({ name, folders }) => ({ name, isLocal: folders !== undefined })),
    async scratch() {
      await emptied;
      // Only now: a store that is closed at once must leave nothing behind.
      await mkdir(scratchFolder, { recursive: true, mode: 0o700 });
      return join(scratchFolder, `${randomUUID()}.parquet`);
    },
    async put(place, file, summary, key = parquetSegmentName(summary.startsAt, summary.endsAt)) {
      const { size: sizeBytes } = await stat(file);
      const segment: ParquetSegment = { kind: 'parquet', ...summary, key, store: current.name, sizeBytes };
      await current.put(toVolume(place), key, createReadStream(file), { sizeBytes });
      if (current.folders) await rm(file, { force: true });
      else await cache.adopt(fileOf(place, segment), file);
      return segment;
    },
    holdBytes: [...byName.values()].every((store) => store.folders) ? Number.POSITIVE_INFINITY : cache.maxBytes,
    pin,
    async hold(place, segments, signal) {
      using holds = new DisposableStack();
      holds.defer(pin(place, segments));
      const paths = new Map<string, string>();
      for (const [name, own] of Map.groupBy(segments, (segment) => segment.store)) {
        const store = storeOf(name);
        let found: readonly string[];
        if (store.folders) found = await holdLocal(store, place, own);
        else {
          const files = own.map((segment) => ({ ...fileOf(place, segment), segment }));
          const fetch = (file: CachedFile, target: string) =>
            fetchTo(place, (file as (typeof files)[number]).segment, target);
          found = holds.use(await cache.hold(files, fetch, signal)).paths;
        }
        for (const [index, segment] of own.entries()) paths.set(idOf(place, segment), found[index] ?? '');
      }
      const held = holds.move();
      const inOrder = segments.map((segment) => paths.get(idOf(place, segment)) ?? '');
      return { paths: inOrder, [Symbol.dispose]: () => held.dispose() };
    },
    async remove(place, segment) {
      const store = storeOf(segment.store);
      const id = idOf(place, segment);
      if (!store.folders) cache.drop(id);
      const work = async () => void (await store.delete(toVolume(place), segment.key));
      if (!pins.isHeld(id)) return work();
      // The caller need not wait for readers. A removal that fails is repeated by the next start.
      pins.whenFree(id, () => runInBackground('log segment removal', work(), logger));
    },
    async list(place, storeName) {
      const found: SegmentObject[] = [];
      let last: string | undefined;
      for (let after: string | undefined; ; after = last) {
        const page = await storeOf(storeName).list(toVolume(place), { after, limit: PAGE });
        for (const { path: key, sizeBytes } of page.objects) {
          const times = parseSegmentName(key);
          if (times?.endsAt === undefined) continue;
          found.push({ key, store: storeName, startsAt: times.startsAt, endsAt: times.endsAt, sizeBytes });
        }
        last = page.objects.at(-1)?.path;
        if (!page.isTruncated || last === undefined) return found;
      }
    },
  };
}

function toVolume({ account, deployment }: LogPlace): VolumePlace {
  return { account, storageId: deployment };
}
