import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { createError } from '@berth/contract';
import type { Clock } from '@berth/kit';
import { ensureFolders, makeBelow, type OpenFolder, openFolder } from '@berth/kit/node';
import { createBodyCheck } from '../body-check.ts';
import type { FolderList, ListOptions, ObjectStore, PutResult, StoredObject, VolumePlace } from '../object-store.ts';
import { createFilePlacer, type FilePlacer, SMALL_BYTES } from './create-file-placer.ts';
import type { SnapshotBounds } from './folder-snapshot.ts';
import { createFolderWindows } from './folder-window.ts';
import { moveFile, moveFolder } from './move-files.ts';
import { deleteFile, findFile, openFile } from './object-files.ts';
import { createPartialUploads } from './partial-uploads.ts';
import type { PlaceRequest } from './place-files.ts';
import { createStoredSnapshots } from './stored-snapshots.ts';
import { measureFolder, walkVolume } from './walk-objects.ts';
import { readBody, translateDiskError, writeBody } from './write-body.ts';

export interface FsObjectStoreOptions {
  /** Created when missing. Everything below it must be on one file system. */
  readonly folder: string;
  readonly clock: Clock;
  /** Other processes, also on other machines, use the folder at the same time. Default false. */
  readonly isShared?: boolean;
  /** Names that a listing keeps in memory. */
  readonly listingBounds?: SnapshotBounds | undefined;
}

/** Free space kept for everything else on the file system: logs, the database. */
const RESERVED_BYTES = 64 * 2 ** 20;
/** The clocks of servers and of the file system may differ by less than a minute. */
const SHARED_SETTLE_NS = 60_000_000_000n;
/** No upload goes without a byte for that long. */
const ABANDONED_MS = 24 * 3_600_000;
/** Uploads below this size skip the check for free space: a failing write is found as quickly. */
const ASKED_BYTES = 2 ** 20;
/** Larger files are synced by themselves before they are placed: as long as a sync takes, no other file is placed. */
const SYNCED_BYTES = 2 ** 20;
/** A service may remove the folder of an object again and again. */
const PLACE_ATTEMPTS = 3;
/** Threads that place files: on a network file system each waits for the network most of the time. */
const SHARED_PLACERS = 4;
/** Other users may pass through to their own folders, but list nothing. */
const PASSAGE_MODE = 0o711;
const VOLUME_MODE = 0o770;
const PRIVATE_MODE = 0o700;

/**
 * Creates a store of objects as files, with a folder per volume: services see the same files where the volume is
 * mounted.
 *
 * Invariants:
 * 1. No symbolic link in a volume is ever followed: each folder is opened by itself and held (`openFolder` of kit).
 * 2. A file is complete and synced to disk before it gets its name; until then it is outside of the volume.
 * 3. An uploaded file belongs to the group that the volume is shared with, like files that services write.
 */
export function createFsObjectStore(options: FsObjectStoreOptions): ObjectStore {
  const { folder: root, clock, listingBounds, isShared = false } = options;
  const incoming = path.join(root, '.incoming');
  const windows = createFolderWindows({
    clock,
    stored: createStoredSnapshots(path.join(root, '.listings')),
    bounds: listingBounds,
    settleNs: isShared ? SHARED_SETTLE_NS : undefined,
  });
  /** Several servers may receive in one folder. */
  const incomingPrefix = path.join(incoming, `${randomBytes(12).toString('hex')}-`);
  let nextIncoming = 0;
  const placers = Array.from({ length: isShared ? SHARED_PLACERS : 1 }, createFilePlacer);
  let nextPlacer = 0;
  const pathOf = ({ account, storageId }: VolumePlace) => path.join(account, storageId);
  const folderOf = (place: VolumePlace) => path.join(root, pathOf(place));

  const findVolume = (place: VolumePlace): Promise<OpenFolder | undefined> => openFolder(folderOf(place));
  const openVolume = async (place: VolumePlace): Promise<OpenFolder> => {
    const found = await findVolume(place);
    if (found) return found;
    await mkdir(root, { recursive: true, mode: PASSAGE_MODE });
    const made = await openFolder(
      await ensureFolders(root, [place.account, place.storageId], [PASSAGE_MODE, VOLUME_MODE]),
    );
    if (!made) throw isGone();
    return made;
  };
  const requireSpace = async (sizeBytes: number): Promise<void> => {
    const { bavail, bsize } = await statfs(root).catch(() => ({ bavail: Number.POSITIVE_INFINITY, bsize: 1 }));
    if (sizeBytes <= bavail * bsize - RESERVED_BYTES) return;
    throw createError('insufficient_storage', `The server's disk has no space for ${sizeBytes} bytes.`);
  };
  /** Creates the volume's folder with its first object. */
  const placeIn = async (place: VolumePlace, request: Omit<PlaceRequest, 'volume'>): Promise<PutResult> => {
    const placer = placers[nextPlacer++ % placers.length] as FilePlacer;
    const complete = { ...request, volume: folderOf(place) };
    for (let attempt = 0; attempt < PLACE_ATTEMPTS; attempt++) {
      const placed = await placer.place(complete);
      if (placed) return placed;
      await using _made = await openVolume(place);
    }
    throw isGone();
  };

  const uploads = createPartialUploads({
    placeIn,
    requireSpace,
    clock,
    isShared,
    folder: path.join(root, '.uploads'),
  });
  /** Another server may be writing a younger file. */
  const isAbandoned = async (file: string) =>
    ((await stat(file).catch(() => undefined))?.mtimeMs ?? 0) < clock.nowMs() - ABANDONED_MS;
  /** Removes what a crash left. Nothing is received before that. */
  const ready = (async () => {
    await mkdir(root, { recursive: true, mode: PASSAGE_MODE });
    await mkdir(incoming, { recursive: true, mode: PRIVATE_MODE });
    for (const name of await readdir(incoming)) {
      const file = path.join(incoming, name);
      if (!isShared || (await isAbandoned(file))) await rm(file, { force: true });
    }
    await uploads.collect();
  })();
  ready.catch(() => {});

  const put: ObjectStore['put'] = async (place, objectPath, body, options = {}) => {
    const { sizeBytes = Number.POSITIVE_INFINITY, precondition, signal } = options;
    await ready;
    const temporary = `${incomingPrefix}${nextIncoming++}`;
    const request = { path: objectPath, temporary, precondition };
    const abort = () => body.destroy(signal?.reason);
    try {
      signal?.throwIfAborted();
      signal?.addEventListener('abort', abort, { once: true });
      if (sizeBytes <= SMALL_BYTES) {
        const content = await readBody(body, options);
        signal?.throwIfAborted();
        return await placeIn(place, { ...request, content });
      }
      if (sizeBytes > ASKED_BYTES && sizeBytes < Number.POSITIVE_INFINITY) await requireSpace(sizeBytes);
      await using file = await open(temporary, 'wx', 0o600);
      try {
        await writeBody(file, body, options);
        signal?.throwIfAborted();
        // The bytes of a large file are synced here, where it delays no other file.
        if (sizeBytes > SYNCED_BYTES) await file.datasync();
        return await placeIn(place, { ...request, content: file.fd });
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    } catch (error) {
      throw translateDiskError(error);
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  };

  const putBytes: ObjectStore['putBytes'] = async (place, objectPath, content, options = {}) => {
    if (content.byteLength > SMALL_BYTES) return put(place, objectPath, Readable.from([content]), options);
    const check = createBodyCheck(options);
    check.add(content);
    check.finish();
    await ready;
    const temporary = `${incomingPrefix}${nextIncoming++}`;
    const { precondition } = options;
    return placeIn(place, { path: objectPath, temporary, precondition, content }).catch((error: unknown) => {
      throw translateDiskError(error);
    });
  };

  const list = async (place: VolumePlace, { limit, ...start }: ListOptions, isFolder: boolean): Promise<FolderList> => {
    await using volume = await findVolume(place);
    const objects: StoredObject[] = [];
    const folders: string[] = [];
    for await (const found of volume ? walkVolume(volume, { ...start, isFolder }, windows) : []) {
      if (objects.length + folders.length === limit) return { objects, folders, isTruncated: true };
      if (typeof found === 'string') folders.push(found);
      else objects.push(found);
    }
    return { objects, folders, isTruncated: false };
  };

  return {
    name: 'fs',
    put,
    putBytes,
    async find(place, objectPath) {
      await using volume = await findVolume(place);
      return volume && (await findFile(volume, objectPath));
    },
    async open(place, objectPath) {
      await using volume = await findVolume(place);
      return volume && (await openFile(volume, objectPath));
    },
    list: (place, options) => list(place, options, false),
    listFolder: (place, options) => list(place, options, true),
    async delete(place, objectPath) {
      await using volume = await findVolume(place);
      return volume && (await deleteFile(volume, objectPath));
    },
    async copy(place, from, to) {
      await using volume = await openVolume(place);
      await using source = await openFile(volume, from);
      if (!source) throw createError('not_found', `The volume has no object "${from}".`);
      return await put(place, to, source.read(), { sizeBytes: source.object.sizeBytes });
    },
    async move(place, from, to, options = {}) {
      await using volume = await openVolume(place);
      return await moveFile(volume, from, to, options).catch((error: unknown) => {
        throw translateDiskError(error);
      });
    },
    async moveFolder(place, from, to) {
      await using volume = await openVolume(place);
      return await moveFolder(volume, from, to).catch((error: unknown) => {
        throw translateDiskError(error);
      });
    },
    async measure(place, { signal } = {}) {
      await using volume = await findVolume(place);
      return volume ? await measureFolder(volume, windows, signal) : { sizeBytes: 0, objectCount: 0 };
    },
    async removeVolume(place) {
      await rm(folderOf(place), { recursive: true, force: true });
    },
    uploads,
    folders: {
      pathOf,
      async ensure(place, subPath) {
        await using volume = await openVolume(place);
        const parts = subPath.split('/').filter((part) => part !== '');
        await using folder = await makeBelow(volume, parts);
        if (folder) return path.join(folderOf(place), ...parts);
        throw createError('start_failed', `In the volume, a part of sub_path "${subPath}" is not a folder.`);
      },
    },
    async close() {
      await ready.catch(() => {});
      await windows.close();
      await Promise.all(placers.map((placer) => placer.close()));
    },
  };
}

function isGone() {
  return createError('unavailable', 'The folder of this volume does not exist. Try again.');
}
