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
import type { HeldFiles, SegmentCache } from './segment-cache.ts';
import { parquetSegmentName, parseSegmentName } from './segment-name.ts';

/** A segment's object, by what its name tells. */
export type SegmentObject = Pick<ParquetSegment, 'key' | 'store' | 'startsAt' | 'endsAt' | 'sizeBytes'>;

/** Where Parquet segments are: in object stores, and as files of this machine while they are read. */
export interface SegmentStorage {
  /** Name of the store that new segments go to. */
  readonly storeName: string;
  /** Names of all stores; `local` ones are folders of this machine: listing them costs next to nothing. */
  readonly stores: readonly { readonly name: string; readonly isLocal: boolean }[];
  /** A path for a file to be made, in a folder that is emptied at the start. */
  scratch(): Promise<string>;
  /** Makes a segment of a file, which is gone afterwards. Durable when it resolves, and in no catalogue yet. */
  put(place: LogPlace, file: string, summary: SegmentSummary): Promise<ParquetSegment>;
  /** Most bytes that may be held at once. */
  readonly holdBytes: number;
  /** Keeps the segments' objects until the answer is called; at once. */
  pin(place: LogPlace, segments: readonly Pick<SegmentObject, 'key' | 'store'>[]): () => void;
  /**
   * The segments as files, in order.
   * @throws the system's `ENOENT` when one of them is gone; `unavailable` when the store does not answer or can't be reached.
   */
  hold(place: LogPlace, segments: readonly SegmentObject[], signal?: AbortSignal): Promise<HeldFiles>;
  /** Removes a segment's object, when nobody holds it any more. */
  remove(place: LogPlace, segment: Pick<SegmentObject, 'key' | 'store'>): Promise<void>;
  /** Segments of a log in one of the stores, whoever knows of them. */
  list(place: LogPlace, store: string): Promise<readonly SegmentObject[]>;
}

export interface SegmentStorageOptions {
  /** Where new segments go. */
  readonly store: ObjectStore;
  /** Stores that hold segments of former times. */
  readonly formerStores?: readonly ObjectStore[];
  /** For segments of stores that are no folders. */
  readonly cache: SegmentCache;
  readonly scratchFolder: string;
  readonly logger: Logger;
}

/** Objects looked at in one call. */
const PAGE = 1_000;

export function createSegmentStorage(options: SegmentStorageOptions): SegmentStorage {
  const { store: current, formerStores = [], cache, scratchFolder, logger } = options;
  const byName = new Map([current, ...formerStores].map((store) => [store.name, store]));
  const pins = createPins();
  const emptied = rm(scratchFolder, { recursive: true, force: true }).then(() =>
    mkdir(scratchFolder, { recursive: true, mode: 0o700 }),
  );
  emptied.catch(() => {});

  function storeOf(name: string): ObjectStore {
    const store = byName.get(name);
    if (store) return store;
    throw createError(
      'unavailable',
      `Part of this log lies in a store ("${name}") that this server is not set up with; the operator can set BERTH_S3_LOG_BUCKET to it again.`,
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
      return join(scratchFolder, `${randomUUID()}.parquet`);
    },
    async put(place, file, summary) {
      const { size: sizeBytes } = await stat(file);
      const key = parquetSegmentName(summary.startsAt, summary.endsAt);
      const segment: ParquetSegment = { kind: 'parquet', ...summary, key, store: current.name, sizeBytes };
      await current.put(toVolume(place), key, createReadStream(file), { sizeBytes });
      if (current.folders) await rm(file, { force: true });
      else await cache.adopt(fileOf(place, segment), file);
      return segment;
    },
    holdBytes: [...byName.values()].every((store) => store.folders) ? Number.POSITIVE_INFINITY : cache.maxBytes,
    pin,
    async hold(place, segments, signal) {
      const releases = [pin(place, segments)];
      const release = () => {
        for (const one of releases) one();
      };
      try {
        const paths = new Map<string, string>();
        for (const [name, own] of Map.groupBy(segments, (segment) => segment.store)) {
          const store = storeOf(name);
          let found: readonly string[];
          if (store.folders) found = await holdLocal(store, place, own);
          else {
            const files = own.map((segment) => ({ ...fileOf(place, segment), segment }));
            const held = await cache.hold(
              files,
              (file, target) => fetchTo(place, (file as (typeof files)[number]).segment, target),
              signal,
            );
            releases.push(held.release);
            found = held.paths;
          }
          for (const [index, segment] of own.entries()) paths.set(idOf(place, segment), found[index] ?? '');
        }
        return { paths: segments.map((segment) => paths.get(idOf(place, segment)) ?? ''), release };
      } catch (error) {
        release();
        throw error;
      }
    },
    async remove(place, segment) {
      const store = storeOf(segment.store);
      const id = idOf(place, segment);
      if (!store.folders) cache.drop(id);
      const work = async () => void (await store.delete(toVolume(place), segment.key));
      if (!pins.isHeld(id)) return work();
      // Whoever removes it need not wait for readers; a removal that fails is found and made up for by the next start.
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
