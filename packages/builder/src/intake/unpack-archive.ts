import { link, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createError } from '@berth/contract';
import { errorCode, translateDiskError } from '../files/disk-error.ts';
import { createTaskGroup, type TaskGroup } from '../files/task-group.ts';
import type { StoredArchive } from '../port/builder.ts';
import type { ArchiveLimits } from './archive-limits.ts';
import { type ArchiveTree, createArchiveTree } from './archive-tree.ts';
import { createArchiveViolation, createEntryViolation } from './archive-violation.ts';
import { checkLinks } from './check-links.ts';
import { isLitter } from './is-litter.ts';
import { type ArchiveEntry, readEntries } from './read-entries.ts';
import { createTreeDigest, type TreeDigest } from './tree-digest.ts';
import { writeEntryFile } from './write-entry-file.ts';

/** Small files written at the same time, 64 KiB each at most: as many as libuv has threads, twice. */
const PARALLEL_WRITES = 8;

export interface UnpackOptions {
  /** Exists, empty, the server's own; nothing else writes to it meanwhile. */
  readonly folder: string;
  readonly limits: ArchiveLimits;
  readonly signal: AbortSignal;
}

export interface UnpackedArchive {
  readonly tree: ArchiveTree;
  readonly fileCount: number;
  /** Bytes of its files. */
  readonly sizeBytes: number;
  /** Hex SHA-256 over paths, kinds, executable bits and contents: equal for equal trees, however they were packed. */
  readonly sha256: string;
}

/**
 * Unpacks an archive that a stranger sent. Invariants, each shown by the hostile corpus:
 * 1. An entry is checked against all that came before it, before a byte of it is written.
 * 2. Files are only ever created new, in folders that this call made; symbolic links are made last, after the last write.
 * 3. Every bound is asked while the bytes flow.
 *
 * Owner, time, setuid, setgid and sticky bits are dropped; of the mode only "executable" is kept. Nothing is being written any more when this settles.
 * @throws BerthError `archive_invalid` naming the entry and why, `out_of_capacity`, `cancelled`; what was unpacked so far is the caller's to remove.
 */
export async function unpackArchive(archive: StoredArchive, options: UnpackOptions): Promise<UnpackedArchive> {
  const { folder, limits, signal } = options;
  const tree = createArchiveTree({ maxEntries: limits.entries });
  const digest = createTreeDigest();
  const writes = createTaskGroup(PARALLEL_WRITES);
  let fileCount = 0;
  let sizeBytes = 0;
  try {
    for await (const entry of readEntries(archive, { limits, signal })) {
      if (signal.aborted) throw createError('cancelled', 'The build was cancelled.');
      if (isLitter(entry.path)) continue;
      sizeBytes += await placeEntry(entry, { folder, tree, digest, writes }).catch((error: unknown) => {
        throw explainPlacing(error, entry.path);
      });
      if (entry.kind === 'file' || entry.kind === 'hardlink') fileCount++;
    }
  } catch (error) {
    await writes.finish().catch(() => {});
    throw error;
  }
  await writes.finish();
  if (tree.size === 0) throw createArchiveViolation('The archive holds no files.');
  await checkLinks(tree);
  for (const { path, target } of tree.links) {
    await symlink(target, join(folder, path)).catch((error: unknown) => {
      throw explainPlacing(error, path);
    });
    digest.add(path, `l${target}`);
  }
  return { tree, fileCount, sizeBytes, sha256: digest.finish() };
}

interface Place {
  readonly folder: string;
  readonly tree: ArchiveTree;
  readonly digest: TreeDigest;
  readonly writes: TaskGroup;
}

/** Makes one entry, answering the bytes of its content. */
async function placeEntry(entry: ArchiveEntry, { folder, tree, digest, writes }: Place): Promise<number> {
  const makeFolders = async (paths: readonly string[]) => {
    for (const path of paths) {
      await mkdir(join(folder, path), 0o755);
      digest.add(path, 'd');
    }
  };
  const { path, target } = entry;
  if (path === '') {
    if (entry.kind === 'folder') return 0;
    throw createEntryViolation('.', 'is the root of the archive, but no folder');
  }
  const place = join(folder, path);
  switch (entry.kind) {
    case 'folder':
      await makeFolders(tree.addFolder(path));
      return 0;
    case 'symlink':
      await makeFolders(tree.addLink(path, target));
      return 0;
    case 'hardlink': {
      if (!tree.isFile(target)) {
        throw createEntryViolation(path, `is a hard link to ${JSON.stringify(target)}, which is no earlier file`);
      }
      await makeFolders(tree.addFile(path));
      // What it links to may still be on its way.
      await writes.finish();
      await link(join(folder, target), place);
      digest.add(path, digest.find(target) ?? '');
      return 0;
    }
    case 'file': {
      await makeFolders(tree.addFile(path));
      const { sizeBytes, sha256, written } = await writeEntryFile(place, entry.isExecutable ? 0o755 : 0o644, entry);
      digest.add(path, `${entry.isExecutable ? 'x' : 'f'}${sha256}`);
      await writes.add(
        written.catch((error: unknown) => {
          throw explainPlacing(error, path);
        }),
      );
      return sizeBytes;
    }
  }
}

/** What the file system itself refuses: a disk that folds case or is full, a name it can't hold, a link too many. */
function explainPlacing(error: unknown, path: string): unknown {
  switch (errorCode(error)) {
    case 'EEXIST':
      return createEntryViolation(path, 'is there twice to a disk that ignores case or accents');
    case 'ENAMETOOLONG':
      return createEntryViolation(path, "has a name this server's disk can not hold");
    case 'EMLINK':
      return createEntryViolation(path, 'is one hard link too many to the same file');
    default:
      return translateDiskError(error);
  }
}
