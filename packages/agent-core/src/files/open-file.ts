import { type BigIntStats, constants, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { FileEntry } from '@berth/contract/agent';
import type { ByteRange } from '@berth/http';
import { codeOf, entityTag, isAbsence, statOf } from '@berth/kit/node';
import { fileKind } from './file-kind.ts';
import type { Named } from './find-place.ts';
import { nameOf, type WorkspacePath } from './workspace-path.ts';

/** An open file. All reads see the same version. */
export interface OpenFile extends AsyncDisposable {
  readonly entry: FileEntry;
  /** A strong validator, including its quotes. */
  readonly etag: string;
  readonly updatedAtMs: number;
  /** Streams the file as it was when it was opened, or a range of it. One read at a time. */
  read(range?: ByteRange): Readable;
  /** As {@link read}; closes the file with the stream. */
  readAndClose(range?: ByteRange): Readable;
}

// Non-blocking, because a tool may have created a FIFO in place of a file.
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** Size of one read: the kernel's read-ahead. */
const READ_BYTES = 256 * 1024;

/** Opens a file; undefined when there is none, or when the entry is a folder, a link or a device. */
export async function openFile({ folder, name }: Named, path: WorkspacePath): Promise<OpenFile | undefined> {
  const file = await open(folder.at(name), READ_FLAGS).catch((error: unknown) => {
    if (isAbsence(error) || ['ENXIO', 'EACCES'].includes(codeOf(error) ?? '')) return undefined;
    throw error;
  });
  if (!file) return undefined;
  const stats = await statOf(file);
  if (!stats.isFile()) {
    await file.close();
    return undefined;
  }
  const entry = toFileEntry(path, stats);
  const whole: ByteRange = { first: 0, last: entry.size - 1 };
  const read = ({ first, last }: ByteRange, autoClose: boolean) =>
    file.createReadStream({ start: first, end: last, highWaterMark: READ_BYTES, autoClose });
  return {
    entry,
    etag: entityTag(stats),
    updatedAtMs: Number(stats.mtimeMs),
    read: (range = whole) => (range.last < range.first ? Readable.from([]) : read(range, false)),
    readAndClose(range = whole) {
      if (range.last >= range.first) return read(range, true);
      void file.close();
      return Readable.from([]);
    },
    [Symbol.asyncDispose]: () => file.close(),
  };
}

/** Returns the contract's representation of a file or folder. */
export function toFileEntry(path: WorkspacePath, stats: Stats | BigIntStats): FileEntry {
  const name = nameOf(path);
  const isFolder = stats.isDirectory();
  return {
    name,
    path,
    type: isFolder ? 'directory' : 'file',
    size: isFolder ? 0 : Number(stats.size),
    modified: new Date(Number(stats.mtimeMs)).toISOString(),
    kind: isFolder ? 'directory' : fileKind(name),
  };
}
