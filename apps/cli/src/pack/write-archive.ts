import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import path from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type PackEntry, packError } from '@berth/client/pack';
import { type Pack, pack } from 'tar-stream';

/** Options of {@link writeArchive}. */
export interface WriteArchiveOptions {
  /** Absolute; what the entries' paths are relative to. */
  readonly root: string;
  readonly entries: readonly PackEntry[];
  /** The archive; must not exist. */
  readonly file: string;
  /** Writing stops when the archive is larger. */
  readonly limitBytes: number;
  readonly signal?: AbortSignal;
}

/** The date of every entry. npm's packages have it too, because zip files can't represent 1970-01-01. */
const MODIFIED_AT = new Date('1985-10-26T08:15:00Z');

/** Byte 9 of a gzip header, the operating system: 255 is "unknown" (RFC 1952 section 2.3.1). */
const GZIP_SYSTEM_BYTE = 9;

/**
 * Writes a gzip tar whose bytes depend only on names, contents and executable bits, so that a tree gives the same archive on any machine.
 * @returns its size in bytes, or `undefined` when it exceeds the limit
 * @throws BerthError `archive_invalid` for a file that changes meanwhile or can't be read
 */
export async function writeArchive(options: WriteArchiveOptions): Promise<number | undefined> {
  const tar = pack();
  let sizeBytes = 0;
  const tooLarge = new Error('over the limit');
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (sizeBytes <= GZIP_SYSTEM_BYTE && sizeBytes + chunk.length > GZIP_SYSTEM_BYTE) {
        chunk[GZIP_SYSTEM_BYTE - sizeBytes] = 0xff;
      }
      sizeBytes += chunk.length;
      if (sizeBytes > options.limitBytes) done(tooLarge);
      else done(null, chunk);
    },
  });
  const written = pipeline(
    tar,
    createGzip(),
    measure,
    createWriteStream(options.file, { flags: 'wx', mode: 0o600 }),
    options.signal ? { signal: options.signal } : {},
  );
  const filled = fill(tar, options);
  // The first failure causes the other, so the first one is reported.
  const results = await Promise.allSettled([
    written,
    filled.catch((error: Error) => {
      tar.destroy(error);
      throw error;
    }),
  ]);
  options.signal?.throwIfAborted();
  if (sizeBytes > options.limitBytes) return undefined;
  const [, fillResult] = results;
  for (const result of [fillResult, results[0]]) if (result.status === 'rejected') throw result.reason;
  return sizeBytes;
}

async function fill(tar: Pack, { root, entries, signal }: WriteArchiveOptions): Promise<void> {
  for (const entry of entries) {
    signal?.throwIfAborted();
    const common = { name: entry.path, mtime: MODIFIED_AT, uid: 0, gid: 0, uname: '', gname: '' };
    if (entry.kind === 'folder')
      await addEmpty(tar, { ...common, name: `${entry.path}/`, type: 'directory', mode: 0o755 });
    else if (entry.kind === 'link') {
      await addEmpty(tar, { ...common, type: 'symlink', linkname: entry.target, mode: 0o777 });
    } else {
      const mode = entry.isExecutable ? 0o755 : 0o644;
      await addFile(tar, { ...common, type: 'file', mode, size: entry.sizeBytes }, path.join(root, entry.path));
    }
  }
  tar.finalize();
}

type Header = Parameters<Pack['entry']>[0];

function addEmpty(tar: Pack, header: Header): Promise<void> {
  return new Promise((resolve, reject) => {
    tar.entry(header, (error) => (error ? reject(error) : resolve()));
  });
}

async function addFile(tar: Pack, header: Header & { readonly size: number }, file: string): Promise<void> {
  const { promise: added, resolve, reject } = Promise.withResolvers<void>();
  const sink = tar.entry(header, (error) => (error ? reject(error) : resolve()));
  added.catch(() => {});
  // The callback reports the same error; an unhandled error event would end the process.
  sink.on('error', () => {});
  let sizeBytes = 0;
  try {
    // Reads one byte more than announced, to notice a file that grew.
    for await (const chunk of createReadStream(file, { end: header.size }) as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length;
      if (sizeBytes > header.size) break;
      // An abandoned archive doesn't drain; then `added` fails.
      if (!sink.write(chunk)) await Promise.race([once(sink, 'drain'), added]);
    }
  } catch (error) {
    throw packError(`${header.name} can't be read: ${error instanceof Error ? error.message : String(error)}`, error);
  }
  if (sizeBytes !== header.size) throw packError(`${header.name} changed while it was packed. Try again.`);
  sink.end(undefined);
  await added;
}
