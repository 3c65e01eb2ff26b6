import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rm, stat, truncate, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '@berth/kit/node';

/** A file open for reading. Disposal closes it. */
export interface ReadableFile extends AsyncDisposable {
  /** Reads `length` bytes at `position`; fewer only at the end of the file. */
  read(position: number, length: number): Promise<Buffer>;
}

/** File operations of the store. Paths are absolute; every method rejects with the system's error. */
export interface LogFiles {
  /** Returns the names in a folder, sorted; none when the folder does not exist. */
  list(folder: string): Promise<readonly string[]>;
  size(path: string): Promise<number>;
  openForReading(path: string): Promise<ReadableFile>;
  /** Creates an empty file, which must not exist, and its folders. Durable when it resolves. */
  create(path: string): Promise<void>;
  /** Writes all of `bytes` at `position`. After a rejection, part of them may be there. */
  write(path: string, position: number, bytes: Uint8Array): Promise<void>;
  truncate(path: string, sizeBytes: number): Promise<void>;
  /** Syncs a file's data to disk. */
  sync(path: string): Promise<void>;
  /** Removes a file; succeeds when it does not exist. */
  remove(path: string): Promise<void>;
  /** Removes a folder and its content; succeeds when it does not exist. */
  removeFolder(path: string): Promise<void>;
}

/** True for "no such file". */
export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
}

/** The files of this machine. Folders are created for the owner only: logs contain whatever services print. */
export function createNodeLogFiles(): LogFiles {
  return {
    list: async (folder) => {
      try {
        return (await readdir(folder)).sort();
      } catch (error) {
        if (isMissing(error) || (error as NodeJS.ErrnoException).code === 'ENOTDIR') return [];
        throw error;
      }
    },
    size: async (path) => (await stat(path)).size,
    openForReading: async (path) => {
      const handle = await open(path, constants.O_RDONLY);
      return {
        read: (position, length) => readFully(handle, position, length),
        [Symbol.asyncDispose]: () => handle.close(),
      };
    },
    create: async (path) => {
      const folder = dirname(path);
      const firstMade = await mkdir(folder, { recursive: true, mode: 0o700 });
      await using file = await open(path, 'wx', 0o600);
      await file.sync();
      await syncFolder(folder);
      // A new folder is durable once every folder above it is synced, up to one that existed before.
      if (firstMade === undefined) return;
      for (let made = folder; made.length >= firstMade.length; made = dirname(made)) await syncFolder(dirname(made));
    },
    write: async (path, position, bytes) => {
      await using file = await open(path, constants.O_WRONLY);
      let done = 0;
      while (done < bytes.length) {
        done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
      }
    },
    truncate,
    sync: async (path) => {
      await using file = await open(path, constants.O_WRONLY);
      await file.datasync();
    },
    remove: async (path) => {
      try {
        await unlink(path);
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    },
    removeFolder: (path) => rm(path, { recursive: true, force: true }),
  };
}

async function readFully(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
