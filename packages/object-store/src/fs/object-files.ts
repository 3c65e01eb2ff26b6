import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, lstat, open, unlink } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createError } from '@berth/contract';
import { codeOf, entityTag, isAbsence, type OpenFolder, openBelow, refuseClimb, statOf } from '@berth/kit/node';
import type { ByteRange, OpenObject, StoredObject } from '../object-store.ts';

// Non-blocking: a service may have put a FIFO at the path.
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** Bytes per read: as much as the kernel reads ahead. A larger piece leaves the CPU caches before it is sent. */
const READ_BYTES = 256 * 1024;

export function toStoredObject(path: string, stats: BigIntStats): StoredObject {
  return { path, sizeBytes: Number(stats.size), updatedAtMs: Number(stats.mtimeMs), etag: entityTag(stats) };
}

export function splitPath(path: string): { readonly parents: readonly string[]; readonly name: string } {
  const parts = path.split('/');
  for (const part of parts) refuseClimb(part);
  return { parents: parts.slice(0, -1), name: parts.at(-1) as string };
}

/** Returns the file at a path of a volume. Symbolic links, FIFOs and the like are not objects. */
export async function findFile(volume: OpenFolder, path: string): Promise<StoredObject | undefined> {
  const { parents, name } = splitPath(path);
  await using folder = await openBelow(volume, parents);
  if (!folder) return undefined;
  const stats = await lstatOf(folder, name);
  return stats?.isFile() ? toStoredObject(path, stats) : undefined;
}

export async function openFile(volume: OpenFolder, path: string): Promise<OpenObject | undefined> {
  const { parents, name } = splitPath(path);
  await using folder = await openBelow(volume, parents);
  if (!folder) return undefined;
  const file = await open(folder.at(name), READ_FLAGS).catch(ignoreAbsence);
  if (!file) return undefined;
  try {
    const stats = await statOf(file);
    if (!stats.isFile() || !(await isOfVolume(stats, volume))) {
      await file.close();
      return undefined;
    }
    return createOpenObject(file, toStoredObject(path, stats));
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Deletes a file and returns it. */
export async function deleteFile(volume: OpenFolder, path: string): Promise<StoredObject | undefined> {
  const { parents, name } = splitPath(path);
  await using folder = await openBelow(volume, parents);
  if (!folder) return undefined;
  const stats = await lstatOf(folder, name);
  if (!stats?.isFile()) return undefined;
  const wasGone = await unlink(folder.at(name)).then(
    () => false,
    (error: unknown) => {
      if (isAbsence(error) || codeOf(error) === 'EISDIR') return true;
      throw error;
    },
  );
  if (wasGone) return undefined;
  await folder.handle.sync();
  return toStoredObject(path, stats);
}

export async function lstatOf(folder: OpenFolder, name: string): Promise<BigIntStats | undefined> {
  return lstat(folder.at(name), { bigint: true }).catch(ignoreAbsence);
}

/**
 * Returns false for a file that may not belong to the volume. A file with several names may have one outside: some
 * kernels let services link to files that they don't own. Everything written to a shared volume belongs to the volume's
 * group.
 */
async function isOfVolume(stats: BigIntStats, volume: OpenFolder): Promise<boolean> {
  return stats.nlink === 1n || stats.gid === BigInt((await volume.handle.stat()).gid);
}

function createOpenObject(file: FileHandle, object: StoredObject): OpenObject {
  let isClosed = false;
  return {
    object,
    read(range) {
      // The size when the file was opened: a service may be appending to it.
      const { first, last } = range ?? { first: 0, last: object.sizeBytes - 1 };
      if (last < first) return Readable.from([]);
      return file.createReadStream({ start: first, end: last, highWaterMark: READ_BYTES, autoClose: false });
    },
    eachPiece: (take, range) => readPieces(file, range ?? { first: 0, last: object.sizeBytes - 1 }, take),
    async [Symbol.asyncDispose]() {
      if (isClosed) return;
      isClosed = true;
      await file.close();
    },
  };
}

function ignoreAbsence(error: unknown): undefined {
  // ENXIO: a socket. EACCES: its owner keeps it from a server that is not root.
  if (isAbsence(error) || codeOf(error) === 'ENXIO') return undefined;
  if (codeOf(error) === 'EACCES') {
    throw createError('conflict', "A service has removed the server's permission to read this file.", { cause: error });
  }
  throw error;
}

/**
 * Reads a range in two alternating buffers: one is filled while the other is consumed. Allocating memory for each piece
 * costs more than reading and sending it.
 * @throws Error when the file ends before the range; what `take` throws.
 */
async function readPieces(
  file: FileHandle,
  { first, last }: ByteRange,
  take: (piece: Uint8Array) => Promise<void>,
): Promise<void> {
  const pieceBytes = Math.min(READ_BYTES, last - first + 1);
  if (pieceBytes <= 0) return;
  const buffers = [Buffer.allocUnsafeSlow(pieceBytes), Buffer.allocUnsafeSlow(pieceBytes)] as const;
  let [current, next] = [
    { buffer: buffers[0], taken: Promise.resolve() },
    { buffer: buffers[1], taken: Promise.resolve() },
  ];
  try {
    for (let position = first; position <= last; ) {
      await current.taken;
      const wanted = Math.min(pieceBytes, last - position + 1);
      const { bytesRead } = await file.read(current.buffer, 0, wanted, position);
      if (bytesRead === 0) throw new Error('the file was truncated while it was read');
      position += bytesRead;
      current.taken = take(current.buffer.subarray(0, bytesRead));
      // The next one to wait for it sees the error.
      current.taken.catch(() => {});
      [current, next] = [next, current];
    }
  } finally {
    await Promise.allSettled([current.taken, next.taken]);
  }
  await Promise.all([current.taken, next.taken]);
}
