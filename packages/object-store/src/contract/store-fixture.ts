import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ByteRange, ObjectStore, PutOptions, PutResult, VolumePlace } from '../object-store.ts';

/** A store with two empty volumes of its own. */
export interface StoreFixture {
  readonly store: ObjectStore;
  readonly place: VolumePlace;
  /** Of another account. */
  readonly otherPlace: VolumePlace;
  put(path: string, content: string | Readable, options?: PutOptions): Promise<PutResult>;
  /** The object's text; undefined when there is none. */
  read(path: string, range?: ByteRange): Promise<string | undefined>;
  paths(options?: { readonly prefix?: string; readonly after?: string; readonly limit?: number }): Promise<string[]>;
}

export function createStoreFixture(store: ObjectStore): StoreFixture {
  const storageId = `vol.${crypto.randomUUID()}`;
  const place = { account: 'acc_1', storageId };
  return {
    store,
    place,
    otherPlace: { account: 'acc_2', storageId },
    put: (path, content, options) =>
      store.put(place, path, typeof content === 'string' ? Readable.from([Buffer.from(content)]) : content, options),
    async read(path, range) {
      await using open = await store.open(place, path);
      return open && (await text(open.read(range)));
    },
    paths: async ({ limit = 1_000, ...options } = {}) =>
      (await store.list(place, { ...options, limit })).objects.map((object) => object.path),
  };
}

/** A body that brings `chunks` and then breaks off. */
export function brokenBody(...chunks: readonly string[]): Readable {
  return Readable.from(
    (async function* () {
      for (const chunk of chunks) yield Buffer.from(chunk);
      throw new Error('the client went away');
    })(),
  );
}
