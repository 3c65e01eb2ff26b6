import { createReadStream } from 'node:fs';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { BerthError } from '@berth/kit';
import { extract, type Header } from 'tar-stream';
import type { StoredArchive } from '../port/builder.ts';
import type { ArchiveLimits } from './archive-limits.ts';
import { createArchiveViolation, createEntryViolation } from './archive-violation.ts';
import { decodeEntryText, parseEntryName, type RawEntryName } from './entry-name.ts';
import { explainArchiveError } from './explain-archive-error.ts';

/** One entry of an archive. Its name is safe; its position and target aren't checked yet. */
export interface ArchiveEntry {
  /** As returned by `parseEntryName`; empty for the root. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'symlink' | 'hardlink';
  readonly isExecutable: boolean;
  /** Size of `content` in bytes. */
  readonly sizeBytes: number;
  /** The target of a symlink as stored, or of a hard link as a path; empty otherwise. */
  readonly target: string;
  /** Can be read once, before the next entry is requested. Unread content is skipped. */
  readonly content: AsyncIterable<Uint8Array>;
}

/** Options of {@link readEntries}. */
export interface ReadEntriesOptions {
  readonly limits: ArchiveLimits;
  readonly signal: AbortSignal;
}

/**
 * Names are read as latin1 to keep their bytes, so that invalid UTF-8 is detected. Tars from before POSIX have no
 * magic.
 */
const TAR_OPTIONS = { filenameEncoding: 'latin1', allowUnknownFormat: true, highWaterMark: 65_536 };

/** Chunk size of gunzip in bytes. */
const CHUNK_BYTES = 65_536;

/**
 * Reads a gzip-compressed tar entry by entry, in constant memory, and checks every limit as data arrives.
 * @throws BerthError `archive_invalid` for anything but a complete gzip tar, for invalid names and kinds, and for
 * exceeded limits; `cancelled`.
 */
export async function* readEntries(archive: StoredArchive, options: ReadEntriesOptions): AsyncGenerator<ArchiveEntry> {
  const { limits, signal } = options;
  if (archive.sizeBytes === 0) throw createArchiveViolation('The archive is empty (0 bytes).');
  let current: string | undefined;
  let announcedBytes = 0;
  const entries = extract(TAR_OPTIONS);
  const flow = pipeline(
    createReadStream(archive.path),
    createGunzip({ chunkSize: CHUNK_BYTES }),
    createMeter(archive.sizeBytes, limits),
    // The tar library has its own stream types; pipeline only uses the common parts.
    entries as unknown as NodeJS.WritableStream,
    { signal },
  );
  const outcome = flow.then(
    () => undefined,
    (error: unknown) => error,
  );
  const explain = async (error: unknown) => {
    entries.destroy();
    const failure = await outcome;
    // An error of gunzip or of a limit is the cause; the reader only sees that its input ended.
    const first = BerthError.is(error) ? error : (failure ?? error);
    return explainArchiveError(first, archive, current, signal);
  };
  async function* contentOf(stream: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
    try {
      yield* stream as AsyncIterable<Uint8Array>;
    } catch (error) {
      throw await explain(error);
    }
  }

  try {
    for await (const stream of entries) {
      const entry = readHeader(stream.header);
      current = entry.path;
      if (entry.kind === 'file') announcedBytes += entry.sizeBytes;
      // Content never exceeds the size in its header, so a bomb that declares its size is refused before anything is
      // written.
      const excess = findExcess(announcedBytes, archive.sizeBytes, limits);
      if (excess) throw excess;
      yield { ...entry, content: contentOf(stream) };
      stream.resume();
    }
    const failure = await outcome;
    if (failure !== undefined) throw failure;
  } catch (error) {
    throw await explain(error);
  } finally {
    entries.destroy();
    await outcome;
  }
}

function readHeader(header: Header): Omit<ArchiveEntry, 'content'> {
  const pax = (header.pax ?? {}) as Readonly<Record<string, string>>;
  const raw = (name: string, key: string): RawEntryName => ({ name, isText: Boolean(pax[key]) });
  const path = parseEntryName(raw(header.name, 'path'));
  if (Object.keys(pax).some((key) => key.startsWith('GNU.sparse.'))) {
    throw createEntryViolation(path, 'is a sparse file; create the tar without --sparse');
  }
  const entry = { path, isExecutable: (header.mode & 0o111) !== 0, sizeBytes: header.size, target: '' };
  // The library has no type for unknown kinds; sparse files are the common case.
  switch (header.type as string | null) {
    case 'file':
    case 'contiguous-file':
      return { ...entry, kind: 'file' };
    case 'directory':
      return { ...entry, kind: 'folder' };
    case 'symlink':
      return { ...entry, kind: 'symlink', target: decodeEntryText(raw(header.linkname ?? '', 'linkpath')) };
    case 'link':
      return { ...entry, kind: 'hardlink', target: parseEntryName(raw(header.linkname ?? '', 'linkpath')) };
    case 'character-device':
    case 'block-device':
      throw createEntryViolation(path, 'is a device');
    case 'fifo':
      throw createEntryViolation(path, 'is a FIFO');
    default:
      throw createEntryViolation(path, 'is neither file, folder nor link (a sparse or vendor-specific entry)');
  }
}

function createMeter(archiveBytes: number, limits: ArchiveLimits): Transform {
  let unpackedBytes = 0;
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      unpackedBytes += chunk.byteLength;
      const violation = findExcess(unpackedBytes, archiveBytes, limits);
      if (violation) done(violation);
      else done(null, chunk);
    },
  });
}

function findExcess(unpackedBytes: number, archiveBytes: number, limits: ArchiveLimits): BerthError | undefined {
  if (unpackedBytes > limits.unpackedBytes) {
    return createArchiveViolation(`The archive unpacks to more than ${limits.unpackedBytes} bytes.`);
  }
  if (unpackedBytes > limits.ratioFreeBytes && unpackedBytes > limits.ratio * archiveBytes) {
    return createArchiveViolation(`The archive unpacks to more than ${limits.ratio} times its own size.`);
  }
  return undefined;
}
