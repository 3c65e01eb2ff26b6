import { closeSync, fchmodSync, futimesSync, openSync, writeFileSync } from 'node:fs';
import { chmod, link, lutimes, mkdir, open, symlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract, type Header } from 'tar-stream';
import { type ArchiveTree, createArchiveTree } from '../intake/archive-tree.ts';
import { createEntryViolation } from '../intake/archive-violation.ts';
import { parseEntryName } from '../intake/entry-name.ts';

/** Room below PATH_MAX (4,096) for the folder above. */
const PATH_BYTES = 3_072;
/** Files up to this size are written at once. */
const WHOLE_BYTES = 65_536;

/**
 * Unpacks a tar of `packTree` into an empty folder that the server owns and nothing else writes to. As for archives of
 * clients: an entry is checked against all earlier ones before it is written, files are only created new in folders
 * that this call created, and symbolic links are created last. They may lead anywhere; nothing follows them.
 * All writes have ended when this settles. The caller removes the files after a failure.
 * @throws BerthError `archive_invalid` that names the entry; errors of the file system and of `tar`; the signal's reason.
 */
export async function unpackTree(tar: Readable, folder: string, signal: AbortSignal): Promise<void> {
  const tree = createArchiveTree({ maxEntries: Number.POSITIVE_INFINITY, allowsAbsoluteLinks: true });
  const place: Place = { folder, tree, folders: [], links: [] };
  const entries = extract();
  // The tar library has its own stream types; pipeline only uses the common parts.
  const flow = pipeline(tar, entries as unknown as NodeJS.WritableStream, { signal });
  const read = async () => {
    for await (const entry of entries) {
      await placeEntry(entry.header, entry as AsyncIterable<Uint8Array>, place);
      entry.resume();
    }
  };
  const [flown, done] = await Promise.allSettled([flow, read().catch((error) => Promise.reject(stop(entries, error)))]);
  signal.throwIfAborted();
  if (done.status === 'rejected') throw done.reason;
  if (flown.status === 'rejected') throw flown.reason;
  for (const { path, target, mtime } of place.links) {
    await symlink(target, join(folder, path));
    await lutimes(join(folder, path), mtime, mtime);
  }
  // Innermost first: a folder may forbid writing, and its time changes with each entry.
  for (const { path, mode, mtime } of place.folders.reverse()) {
    await utimes(join(folder, path), mtime, mtime);
    await chmod(join(folder, path), mode);
  }
}

interface Place {
  readonly folder: string;
  readonly tree: ArchiveTree;
  readonly folders: { readonly path: string; readonly mode: number; readonly mtime: Date }[];
  readonly links: { readonly path: string; readonly target: string; readonly mtime: Date }[];
}

async function placeEntry(header: Header, content: AsyncIterable<Uint8Array>, place: Place): Promise<void> {
  const { folder, tree, folders, links } = place;
  const path = parseEntryName({ name: header.name, isText: true }, PATH_BYTES);
  if (path === '') throw createEntryViolation(header.name, 'is the root');
  const makeFolders = async (paths: readonly string[]) => {
    for (const one of paths) await mkdir(join(folder, one), 0o700);
  };
  const mode = (header.mode ?? 0o644) & 0o777;
  const mtime = header.mtime ?? new Date(0);
  switch (header.type) {
    case 'directory':
      await makeFolders(tree.addFolder(path));
      folders.push({ path, mode, mtime });
      return;
    case 'symlink': {
      const target = header.linkname ?? '';
      await makeFolders(tree.addLink(path, target));
      links.push({ path, target, mtime });
      return;
    }
    case 'link': {
      const target = parseEntryName({ name: header.linkname ?? '', isText: true }, PATH_BYTES);
      if (!tree.isFile(target))
        throw createEntryViolation(path, 'is a hard link to something that is not an earlier file');
      await makeFolders(tree.addFile(path));
      await link(join(folder, target), join(folder, path));
      return;
    }
    case 'file': {
      await makeFolders(tree.addFile(path));
      await writeFile(join(folder, path), { content, sizeBytes: header.size ?? 0, mode, mtime });
      return;
    }
    default:
      throw createEntryViolation(path, 'is neither file, folder nor link');
  }
}

interface NewFile {
  readonly content: AsyncIterable<Uint8Array>;
  readonly sizeBytes: number;
  readonly mode: number;
  readonly mtime: Date;
}

/**
 * Writes a new file. A small one synchronously: it goes to the page cache, which takes some 40 µs, a tenth of what the
 * same calls take by way of threads.
 */
async function writeFile(path: string, { content, sizeBytes, mode, mtime }: NewFile): Promise<void> {
  if (sizeBytes > WHOLE_BYTES) {
    await using file = await open(path, 'wx', 0o600);
    for await (const chunk of content) await file.writeFile(chunk);
    await file.chmod(mode);
    await file.utimes(mtime, mtime);
    return;
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  const descriptor = openSync(path, 'wx', 0o600);
  try {
    for (const chunk of chunks) writeFileSync(descriptor, chunk);
    fchmodSync(descriptor, mode);
    futimesSync(descriptor, mtime, mtime);
  } finally {
    closeSync(descriptor);
  }
}

/** Ends a tar whose entries are read no further, so that its source ends too. */
function stop(entries: ReturnType<typeof extract>, error: unknown): unknown {
  entries.destroy(error instanceof Error ? error : new Error(String(error)));
  return error;
}
