import { heaviestPaths, isSecretFile, type PackEntry, packError } from '@berth/client/pack';
import { LIMITS } from '@berth/contract/limits';
import { createTarPacker } from 'modern-tar';
import type { CollectedEntry } from './collect-source.ts';

/** An archive ready to upload. */
export interface PackedSource {
  /** The archive as a gzipped tar. */
  readonly archive: Blob;
  readonly files: number;
  readonly unpackedBytes: number;
  /** Paths of the `.env` files in the archive. */
  readonly secretFiles: readonly string[];
}

/** Options of {@link packSource}. */
export interface PackOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called with the bytes read so far and the total. */
  readonly onProgress?: ((readBytes: number, totalBytes: number) => void) | undefined;
  readonly formatBytes: (sizeBytes: number) => string;
  /** Maximum size of an archive that the platform accepts. */
  readonly limitBytes?: number;
}

/** Modification time of every file; equal to the CLI's, so that the same files give the same headers. */
const MODIFIED_AT = new Date('1985-10-26T08:15:00Z');

/**
 * Packs files in the browser. Browsers don't expose file modes, so scripts with a `#!` line and ELF binaries become
 * executable.
 * @throws `archive_invalid` for an empty folder, and for one that is too large, naming the largest files; the signal's
 * reason
 */
export async function packSource(entries: readonly CollectedEntry[], options: PackOptions): Promise<PackedSource> {
  const { signal, onProgress, formatBytes, limitBytes = LIMITS.archiveBytes } = options;
  const sizes = entries.map(toPackEntry);
  const unpackedBytes = sizes.reduce((sum, entry) => sum + (entry.kind === 'file' ? entry.sizeBytes : 0), 0);
  const files = sizes.filter(({ kind }) => kind === 'file').map(({ path }) => path);
  if (files.length === 0) throw packError('There is nothing to deploy in this folder.');

  const { readable, controller } = createTarPacker();
  const filled = fill(controller, entries, (readBytes) => onProgress?.(readBytes, unpackedBytes), signal);
  const gzip = readable.pipeThrough(new CompressionStream('gzip') as ReadableWritablePair<Uint8Array, Uint8Array>);
  const [written, read] = await Promise.allSettled([
    readUpTo(gzip, limitBytes),
    filled.catch((error: unknown) => {
      controller.error(error);
      throw error;
    }),
  ]);
  signal?.throwIfAborted();
  if (written.status === 'fulfilled' && written.value === undefined) throw tooLarge(sizes, limitBytes, formatBytes);
  if (read.status === 'rejected') throw read.reason;
  if (written.status === 'rejected') throw written.reason;
  return {
    archive: written.value as Blob,
    files: files.length,
    unpackedBytes,
    secretFiles: files.filter(isSecretFile),
  };
}

async function fill(
  tar: ReturnType<typeof createTarPacker>['controller'],
  entries: readonly CollectedEntry[],
  onRead: (bytes: number) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  let readBytes = 0;
  for (const entry of entries) {
    signal?.throwIfAborted();
    const common = { mtime: MODIFIED_AT, uid: 0, gid: 0, uname: '', gname: '' };
    if (entry.kind === 'folder') {
      const header = { ...common, name: `${entry.path}/`, type: 'directory' as const, mode: 0o755, size: 0 };
      await tar.add(header).close();
      continue;
    }
    const mode = (await isProgram(entry.blob)) ? 0o755 : 0o644;
    const sink = tar.add({ ...common, name: entry.path, type: 'file', mode, size: entry.blob.size }).getWriter();
    for await (const chunk of entry.blob.stream() as unknown as AsyncIterable<Uint8Array>) {
      signal?.throwIfAborted();
      await sink.write(chunk);
      readBytes += chunk.length;
      onRead(readBytes);
    }
    await sink.close();
  }
  tar.finalize();
}

async function isProgram(blob: Blob): Promise<boolean> {
  const [a, b, c, d] = new Uint8Array(await blob.slice(0, 4).arrayBuffer());
  return (a === 0x23 && b === 0x21) || (a === 0x7f && b === 0x45 && c === 0x4c && d === 0x46);
}

/** Returns the stream as a blob; undefined if it exceeds the limit, leaving the rest unread. */
async function readUpTo(stream: ReadableStream<Uint8Array>, limitBytes: number): Promise<Blob | undefined> {
  const chunks: BlobPart[] = [];
  let sizeBytes = 0;
  for await (const chunk of stream as unknown as AsyncIterable<Uint8Array<ArrayBuffer>>) {
    sizeBytes += chunk.length;
    if (sizeBytes > limitBytes) return undefined;
    chunks.push(chunk);
  }
  return new Blob(chunks, { type: 'application/gzip' });
}

function toPackEntry(entry: CollectedEntry): PackEntry {
  if (entry.kind === 'folder') return entry;
  return { kind: 'file', path: entry.path, sizeBytes: entry.blob.size, isExecutable: false };
}

function tooLarge(entries: readonly PackEntry[], limitBytes: number, formatBytes: PackOptions['formatBytes']) {
  const heaviest = heaviestPaths(entries, 5).map(({ path, sizeBytes }) => `${path} (${formatBytes(sizeBytes)})`);
  return packError(
    `The archive is over ${formatBytes(limitBytes)}. Largest entries: ${heaviest.join(', ')}. List the ones that the service does not need in .berthignore; put data in a volume.`,
  );
}
