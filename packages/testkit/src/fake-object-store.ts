import { createHash } from 'node:crypto';
import { addAbortSignal, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createError } from '@berth/contract';
import type { Clock } from '@berth/kit';
import type { ObjectStore, PutOptions, StoredObject, VolumePlace } from '@berth/object-store';

/** An in-memory object store that passes the port's contract suite. */
export interface FakeObjectStore extends ObjectStore {
  /** Stores an object without checks. */
  seed(place: VolumePlace, path: string, text: string): void;
}

interface Kept {
  readonly object: StoredObject;
  readonly bytes: Buffer;
}

export function createFakeObjectStore({ clock }: { readonly clock: Pick<Clock, 'nowMs'> }): FakeObjectStore {
  const volumes = new Map<string, Map<string, Kept>>();
  let version = 0;
  const of = ({ account, storageId }: VolumePlace): Map<string, Kept> => {
    const key = JSON.stringify([account, storageId]);
    const kept = volumes.get(key) ?? new Map<string, Kept>();
    volumes.set(key, kept);
    return kept;
  };
  const keep = (place: VolumePlace, path: string, bytes: Buffer): StoredObject => {
    const etag = `"${++version}"`;
    const object = { path, sizeBytes: bytes.length, updatedAtMs: clock.nowMs(), etag };
    of(place).set(path, { object, bytes });
    return object;
  };
  const sorted = (place: VolumePlace): StoredObject[] =>
    [...of(place).values()]
      .map(({ object }) => object)
      .sort((one, other) => Buffer.compare(Buffer.from(one.path), Buffer.from(other.path)));

  const isAfter = (path: string, after = '') => Buffer.compare(Buffer.from(path), Buffer.from(after)) > 0;

  const put: ObjectStore['put'] = async (place, path, body, options = {}) => {
    const { signal } = options;
    const bytes = await buffer(signal ? addAbortSignal(signal, body) : body).catch((error: unknown) => {
      throw signal?.aborted ? signal.reason : error;
    });
    check(bytes, options);
    const before = of(place).get(path)?.object;
    const { isAbsent, etags } = options.precondition ?? {};
    if ((isAbsent && before) || (etags && !(before && (etags === '*' || etags.includes(before.etag))))) {
      throw createError('precondition_failed', 'the object is in another state');
    }
    return { object: keep(place, path, bytes), replacedBytes: before?.sizeBytes };
  };

  return {
    name: 'fake',
    put,
    seed: (place, path, text) => void keep(place, path, Buffer.from(text)),
    find: async (place, path) => of(place).get(path)?.object,
    async open(place, path) {
      const kept = of(place).get(path);
      if (!kept) return undefined;
      return {
        object: kept.object,
        read: ({ first, last } = { first: 0, last: kept.bytes.length - 1 }) =>
          Readable.from([kept.bytes.subarray(first, last + 1)], { objectMode: false }),
        [Symbol.asyncDispose]: async () => {},
      };
    },
    async list(place, { prefix = '', after, limit }) {
      const found = sorted(place).filter(({ path }) => path.startsWith(prefix) && isAfter(path, after));
      return { objects: found.slice(0, limit), isTruncated: found.length > limit };
    },
    async listFolder(place, { prefix = '', after, limit }) {
      const children = new Map<string, StoredObject | undefined>();
      for (const object of sorted(place).filter(({ path }) => path.startsWith(prefix))) {
        const slash = object.path.indexOf('/', prefix.length);
        const child = slash < 0 ? object.path : object.path.slice(0, slash + 1);
        if (isAfter(child, after)) children.set(child, slash < 0 ? object : undefined);
      }
      const page = [...children].slice(0, limit);
      return {
        objects: page.flatMap(([, object]) => object ?? []),
        folders: page.flatMap(([path, object]) => (object ? [] : path)),
        isTruncated: children.size > limit,
      };
    },
    async delete(place, path) {
      const object = of(place).get(path)?.object;
      of(place).delete(path);
      return object;
    },
    async copy(place, from, to) {
      const kept = of(place).get(from);
      if (!kept) throw createError('not_found', `no object ${from}`);
      return put(place, to, Readable.from([kept.bytes]));
    },
    async move(place, from, to, { isAbsent } = {}) {
      const kept = of(place).get(from);
      const before = of(place).get(to);
      if (!kept) throw createError('not_found', `no object ${from}`);
      if (isAbsent && before) throw createError('precondition_failed', 'the object is in another state');
      const object = { ...kept.object, path: to };
      of(place).delete(from);
      of(place).set(to, { ...kept, object });
      return { object, replacedBytes: before?.object.sizeBytes };
    },
    async measure(place) {
      const objects = sorted(place);
      return { sizeBytes: objects.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0), objectCount: objects.length };
    },
    async removeVolume(place) {
      of(place).clear();
    },
    folders: {
      ensure: async ({ account, storageId }, subPath) => `/volumes/${account}/${storageId}/${subPath}`,
      pathOf: ({ account, storageId }) => `${account}/${storageId}`,
    },
    close: async () => {},
  };
}

function check(bytes: Buffer, { sizeBytes, md5, sha256 }: PutOptions): void {
  const isDigest = (name: string, expected: Buffer | undefined) =>
    !expected || createHash(name).update(bytes).digest().equals(expected);
  if ((sizeBytes ?? bytes.length) === bytes.length && isDigest('md5', md5) && isDigest('sha256', sha256)) return;
  throw createError('bad_request', 'not the bytes that were announced');
}
