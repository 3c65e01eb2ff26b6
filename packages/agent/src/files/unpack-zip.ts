import type { Readable } from 'node:stream';
import type { WorkspacePath } from '@berth/agent-core';
import { createError } from '@berth/contract';
import { BerthError } from '@berth/kit';
import { codeOf } from '@berth/kit/node';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import type { WorkspaceFiles } from './create-workspace-files.ts';
import type { StagedFile } from './incoming.ts';

interface UnpackOptions {
  readonly stage: WorkspaceFiles['stage'];
  /** Maximum size of all unpacked files together. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Called with each file as soon as it is on the disk; the caller disposes of it. */
  onFile(path: WorkspacePath, staged: StagedFile): void;
}

/** Entries of an archive; each is a file to be synced. */
const MAX_ENTRIES = 10_000;
/** Files that desktops add to archives. */
const LITTER = /(^|\/)(__MACOSX\/|\.DS_Store$|Thumbs\.db$)/;
const KIND_OF_MODE = 0o170_000;
const LINK = 0o120_000;

/**
 * Unpacks a zip into staged files. Every entry is judged by what the directory of the archive says before the first is
 * written, and what comes out of each is held to that: an archive that lies is refused half-way, with nothing placed.
 * @param toPath gives the path that an entry's name is to have. @throws as `parseWorkspacePath`
 * @throws `bad_request` for what is no zip or damaged; `forbidden` for names that lead out; `payload_too_large`.
 */
export async function unpackZip(
  file: string,
  toPath: (name: string) => WorkspacePath,
  options: UnpackOptions,
): Promise<void> {
  try {
    const zip = await openPromise(file, { autoClose: false });
    try {
      const entries = await readEntries(zip, toPath, options.maxBytes);
      let left = options.maxBytes;
      for (const { entry, path } of entries) {
        options.signal?.throwIfAborted();
        const bytes = readAtOnce(await zip.openReadStreamPromise(entry));
        const staged = await options.stage(bytes, { maxBytes: left, signal: options.signal });
        left -= staged.sizeBytes;
        options.onFile(path, staged);
      }
    } finally {
      zip.close();
    }
  } catch (error) {
    throw translate(error, options.signal);
  }
}

/**
 * The bytes of a stream, the first of which are asked for now: the library tells a damaged entry to who listens at that
 * moment, and a later reader would wait forever.
 */
function readAtOnce(stream: Readable): AsyncIterable<Uint8Array> {
  // Also when no one reads on.
  stream.on('error', () => {});
  const chunks: AsyncIterator<Uint8Array> = stream[Symbol.asyncIterator]();
  const first = chunks.next();
  first.catch(() => {});
  return (async function* () {
    try {
      for (let next = await first; !next.done; next = await chunks.next()) yield next.value;
    } finally {
      await chunks.return?.();
    }
  })();
}

async function readEntries(zip: ZipFile, toPath: (name: string) => WorkspacePath, maxBytes: number) {
  if (zip.entryCount > MAX_ENTRIES) throw tooLarge(`has more than ${MAX_ENTRIES} entries`);
  const planned: { readonly entry: Entry; readonly path: WorkspacePath }[] = [];
  let sizeBytes = 0;
  for await (const entry of zip.eachEntry()) {
    const name = entry.fileName;
    if (LITTER.test(name)) continue;
    if (((entry.externalFileAttributes >>> 16) & KIND_OF_MODE) === LINK) {
      throw createError('forbidden', `"${name}" in the archive is a link. Pack files and folders only.`);
    }
    if (name.endsWith('/')) continue;
    if (entry.isEncrypted()) throw createError('bad_request', `"${name}" in the archive is encrypted.`);
    sizeBytes += entry.uncompressedSize;
    if (sizeBytes > maxBytes) throw tooLarge(`unpacks to more than ${maxBytes} bytes`);
    planned.push({ entry, path: toPath(name) });
  }
  return planned;
}

function tooLarge(what: string) {
  return createError('payload_too_large', `The archive ${what}; nothing was stored.`);
}

/** The library's errors are plain ones: what it says of a name is told apart by its words. */
function translate(error: unknown, signal: AbortSignal | undefined): unknown {
  if (BerthError.is(error) || signal?.aborted || !(error instanceof Error)) return error;
  // Codes such as EIO are of the disk; those of zlib are of the archive.
  if (codeOf(error)?.startsWith('E')) return error;
  if (/^(absolute path|invalid relative path)/.test(error.message)) {
    return createError('forbidden', 'A name in the archive leaves the workspace; nothing was stored.', {
      cause: error,
    });
  }
  return createError('bad_request', `The archive cannot be read: ${error.message}. Nothing was stored.`, {
    cause: error,
  });
}
