import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import {
  copyFile,
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { createError } from '@berth/contract';
import type { Clock } from '@berth/kit';
import { isAbsence } from '@berth/kit/node';
import { cappedBody } from '../capped-body.ts';
import type { PartialUpload, PartialUploads, PutResult, VolumePlace } from '../object-store.ts';
import { isBeingWritten } from '../writer-watch.ts';
import type { PlaceRequest } from './place-files.ts';
import { translateDiskError, writeBody } from './write-body.ts';
import { createWriterLocks, type WriterLock } from './writer-locks.ts';

export interface PartialUploadsOptions {
  /** An existing folder, private to the server, on the file system of the volumes. */
  readonly folder: string;
  placeIn(place: VolumePlace, request: Omit<PlaceRequest, 'volume'>): Promise<PutResult>;
  requireSpace(sizeBytes: number): Promise<void>;
  readonly clock: Clock;
  /** Other servers use the folder too. */
  readonly isShared: boolean;
}

export interface FilePartialUploads extends PartialUploads {
  /** Removes abandoned uploads. */
  collect(): Promise<void>;
}

/** An upload without its bytes. */
type Description = Pick<PartialUpload, 'place' | 'path' | 'sizeBytes' | 'createdAtMs'>;

/** A day, so that a client can resume after a night. */
const LIFE_MS = 24 * 3_600_000;
/** Abandoned uploads are removed when an upload begins, at most this often. */
const COLLECT_MS = 3_600_000;
const ID = /^[0-9a-f]{32}$/;
const NEW_FILE = { flag: 'wx', mode: 0o600, flush: true };

/**
 * Creates resumable uploads: each is a file that grows, beside a description. The file's size is the upload's offset.
 * In a folder of several servers, a request that writes has a lock beside them. One that takes a lock over goes on in a
 * copy of the file, because the former holder may wake up and write to the one that it has open.
 */
export function createPartialUploads(options: PartialUploadsOptions): FilePartialUploads {
  const { folder, placeIn, requireSpace, clock, isShared } = options;
  const locks = isShared ? createWriterLocks({ folder, clock }) : undefined;
  /** Uploads that are being written or finished. */
  const busy = new Set<string>();
  const bytesOf = (id: string) => path.join(folder, `${id}.part`);
  const descriptionOf = (id: string) => path.join(folder, `${id}.json`);

  const describe = async (id: string): Promise<Description | undefined> => {
    if (!ID.test(id)) return undefined;
    try {
      return JSON.parse(await readFile(descriptionOf(id), 'utf8')) as Description;
    } catch (error) {
      // A damaged description does not say where the bytes belong.
      if (isAbsence(error) || error instanceof SyntaxError) return undefined;
      throw error;
    }
  };
  const find = async (id: string): Promise<PartialUpload | undefined> => {
    const description = await describe(id);
    const bytes = description && (await stat(bytesOf(id)).catch(() => undefined));
    return description && bytes ? { ...description, id, offset: bytes.size } : undefined;
  };
  const get = async (id: string): Promise<PartialUpload> => {
    const upload = await find(id);
    if (upload) return upload;
    throw createError('not_found', 'No such upload; uploads expire after a day. Start a new upload.');
  };
  const remove = async (id: string): Promise<void> => {
    await rm(descriptionOf(id), { force: true });
    await rm(bytesOf(id), { force: true });
    await rm(path.join(folder, `${id}.locks`), { recursive: true, force: true });
  };
  const copyBytes = async (id: string): Promise<void> => {
    const copy = `${bytesOf(id)}.copy`;
    await copyFile(bytesOf(id), copy, constants.COPYFILE_FICLONE);
    await using file = await openToAppend(copy);
    await file.sync();
    await rename(copy, bytesOf(id));
  };
  const alone = async <Value>(
    id: string,
    work: (upload: PartialUpload, lock: WriterLock | undefined) => Promise<Value>,
  ): Promise<Value> => {
    if (busy.has(id)) throw isBeingWritten();
    busy.add(id);
    let lock: WriterLock | undefined;
    try {
      await get(id);
      lock = await locks?.take(id);
      if (lock?.isTakenOver) await copyBytes(id);
      return await work(await get(id), lock);
    } finally {
      await lock?.release();
      busy.delete(id);
    }
  };

  const collect = async (): Promise<void> => {
    const names = await readdir(folder).catch((): string[] => []);
    for (const name of names) {
      const file = path.join(folder, name);
      const stats = await stat(file).catch(() => undefined);
      if (!stats || stats.mtimeMs >= clock.nowMs() - LIFE_MS || busy.has(path.parse(name).name)) continue;
      await rm(file, { recursive: true, force: true });
    }
  };
  let collectedAtMs = clock.nowMs();

  return {
    async find(id) {
      const upload = await find(id);
      // A client that asks before it resumes starts the watch over a writer that may be gone.
      if (upload) await locks?.isFree(id);
      return upload;
    },
    async begin(place, objectPath, sizeBytes) {
      if (clock.nowMs() - collectedAtMs > COLLECT_MS) {
        collectedAtMs = clock.nowMs();
        await collect();
      }
      await requireSpace(sizeBytes);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const id = randomBytes(16).toString('hex');
      const description: Description = { place, path: objectPath, sizeBytes, createdAtMs: clock.nowMs() };
      try {
        await writeFile(bytesOf(id), '', NEW_FILE);
        await writeFile(`${descriptionOf(id)}.new`, JSON.stringify(description), NEW_FILE);
        await rename(`${descriptionOf(id)}.new`, descriptionOf(id));
      } catch (error) {
        await remove(id);
        throw translateDiskError(error);
      }
      return { ...description, id, offset: 0 };
    },
    append: (id, offset, body: Readable) =>
      alone(id, async (upload, lock) => {
        if (offset !== upload.offset) {
          throw createError(
            'conflict',
            `The upload is at offset ${upload.offset}, not ${offset}. Resume from ${upload.offset}.`,
          );
        }
        await using file = await openToAppend(bytesOf(id));
        try {
          await writeBody(file, cappedBody(body, upload.sizeBytes - offset));
        } catch (error) {
          throw translateDiskError(error);
        } finally {
          // The offset that a client is told must survive a crash.
          await file.sync();
        }
        await lock?.check();
        return get(id);
      }),
    finish: (id) =>
      alone(id, async (upload, lock): Promise<PutResult> => {
        if (upload.offset !== upload.sizeBytes) {
          throw createError(
            'conflict',
            `The upload has ${upload.offset} of ${upload.sizeBytes} bytes. Send the rest first.`,
          );
        }
        await using file = await openToAppend(bytesOf(id));
        await lock?.check();
        const result = await placeIn(upload.place, { path: upload.path, temporary: bytesOf(id), content: file.fd });
        await remove(id);
        return result;
      }),
    async abort(id) {
      if (!ID.test(id)) return;
      if (busy.has(id) || (await locks?.isFree(id)) === false) throw isBeingWritten();
      await remove(id);
    },
    collect,
  };
}

async function openToAppend(file: string): Promise<FileHandle> {
  return open(file, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW);
}
