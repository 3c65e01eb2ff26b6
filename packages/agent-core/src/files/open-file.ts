import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { FileEntry } from '@berth/contract/agent';
import type { ByteRange } from '@berth/http';
import { codeOf, entityTag, isAbsence, statOf } from '@berth/kit/node';
import type { Named } from './find-place.ts';
import { toFileEntry } from './to-file-entry.ts';
import type { WorkspacePath } from './workspace-path.ts';

/** A file that is open: all of its reads are of the same version. */
export interface OpenFile extends AsyncDisposable {
  readonly entry: FileEntry;
  /** A strong validator with its quotes. */
  readonly etag: string;
  readonly updatedAtMs: number;
  /** The whole as it was when it was opened, or a range that lies inside; one read at a time. */
  read(range?: ByteRange): Readable;
  /** As {@link read}; the file is closed when the stream is. */
  readAndClose(range?: ByteRange): Readable;
}

// Not blocking: a tool may have put a FIFO where a file is looked for.
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** Of each read: what the kernel fetches ahead anyway. */
const READ_BYTES = 256 * 1024;

/** Undefined when there is no file, or what is there is a folder, a link or a device. */
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
