import { createHash } from 'node:crypto';
import { link, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createError } from '@berth/contract';
import { errorCode, translateDiskError } from '../files/disk-error.ts';
import type { StoredArchive } from '../port/builder.ts';
import type { ArchiveLimits } from './archive-limits.ts';
import { type ArchiveTree, createArchiveTree } from './archive-tree.ts';
import { createArchiveViolation, createEntryViolation } from './archive-violation.ts';
import { checkLinks } from './check-links.ts';
import { type ArchiveEntry, readEntries } from './read-entries.ts';
import { writeEntryFile } from './write-entry-file.ts';

/** Small files (up to 64 KiB) written at the same time: twice the number of libuv's threads. */
const PARALLEL_WRITES = 8;

/** Options of {@link unpackArchive}. */
export interface UnpackOptions {
  /** An existing empty folder, owned by the server. Nothing else may write to it meanwhile. */
  readonly folder: string;
  readonly limits: ArchiveLimits;
  readonly signal: AbortSignal;
}

/** The result of {@link unpackArchive}. */
export interface UnpackedArchive {
  readonly tree: ArchiveTree;
  readonly fileCount: number;
  /** Total size of the files in bytes. */
  readonly sizeBytes: number;
  /**
   * Hex SHA-256 over paths, kinds, executable bits and contents. Equal trees have equal hashes, however they were
   * packed.
   */
  readonly sha256: string;
}

/**
 * Unpacks an untrusted archive. Invariants, each tested with the hostile corpus:
 * 1. An entry is checked against all earlier entries before any of its content is written.
 * 2. Files are only ever created new, in folders that this call created; symbolic links are created last, after the
 *    last write.
 * 3. Every limit is checked while data arrives.
 * Owner, times, setuid, setgid and sticky bits are dropped; of the mode only "executable" is kept. All writes have
 * ended when this settles.
 * @throws BerthError `archive_invalid` that names the entry and the reason, `out_of_capacity`, `cancelled`. The caller
 * removes the unpacked files.
 */
export async function unpackArchive(archive: StoredArchive, options: UnpackOptions): Promise<UnpackedArchive> {
  const { folder, limits, signal } = options;
  const tree = createArchiveTree({ maxEntries: limits.entries });
  const marks = new Map<string, string>();
  const writes = createTaskGroup();
  let fileCount = 0;
  let sizeBytes = 0;
  try {
    for await (const entry of readEntries(archive, { limits, signal })) {
      if (signal.aborted) throw createError('cancelled', 'The build was canceled.');
      if (isLitter(entry.path)) continue;
      sizeBytes += await placeEntry(entry, { folder, tree, marks, writes }).catch((error: unknown) => {
        throw explainPlacing(error, entry.path);
      });
      if (entry.kind === 'file' || entry.kind === 'hardlink') fileCount++;
    }
  } catch (error) {
    await writes.finish().catch(() => {});
    throw error;
  }
  await writes.finish();
  if (tree.size === 0) throw createArchiveViolation('The archive contains no files.');
  await checkLinks(tree);
  for (const { path, target } of tree.links) {
    await symlink(target, join(folder, path)).catch((error: unknown) => {
      throw explainPlacing(error, path);
    });
    marks.set(path, `l${target}`);
  }
  return { tree, fileCount, sizeBytes, sha256: hashTree(marks) };
}

interface Place {
  readonly folder: string;
  readonly tree: ArchiveTree;
  /** Identity of the content of each path: a hash of a file's bytes and mode, or a link's target. */
  readonly marks: Map<string, string>;
  readonly writes: ReturnType<typeof createTaskGroup>;
}

/** Creates one entry and returns the size of its content in bytes. */
async function placeEntry(entry: ArchiveEntry, { folder, tree, marks, writes }: Place): Promise<number> {
  const makeFolders = async (paths: readonly string[]) => {
    for (const path of paths) {
      await mkdir(join(folder, path), 0o755);
      marks.set(path, 'd');
    }
  };
  const { path, target } = entry;
  if (path === '') {
    if (entry.kind === 'folder') return 0;
    throw createEntryViolation('.', 'is the root of the archive, but not a folder');
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
        throw createEntryViolation(path, `is a hard link to ${JSON.stringify(target)}, which is not an earlier file`);
      }
      await makeFolders(tree.addFile(path));
      // The write of the target may still be running.
      await writes.finish();
      await link(join(folder, target), place);
      marks.set(path, marks.get(target) ?? '');
      return 0;
    }
    case 'file': {
      await makeFolders(tree.addFile(path));
      const { sizeBytes, sha256, written } = await writeEntryFile(place, entry.isExecutable ? 0o755 : 0o644, entry);
      marks.set(path, `${entry.isExecutable ? 'x' : 'f'}${sha256}`);
      await writes.add(
        written.catch((error: unknown) => {
          throw explainPlacing(error, path);
        }),
      );
      return sizeBytes;
    }
  }
}

/** Explains errors of the file system: a case-insensitive or full disk, an unsupported name, too many hard links. */
function explainPlacing(error: unknown, path: string): unknown {
  switch (errorCode(error)) {
    case 'EEXIST':
      return createEntryViolation(path, 'occurs twice to a disk that ignores case or accents');
    case 'ENAMETOOLONG':
      return createEntryViolation(path, "has a name that this server's disk doesn't support");
    case 'EMLINK':
      return createEntryViolation(path, 'exceeds the number of hard links to one file');
    default:
      return translateDiskError(error);
  }
}

/**
 * Reports whether a path should be skipped: files that desktop archivers add (`._name`, `.DS_Store`, `__MACOSX`), and
 * `.berth` in the root, which the builder uses in artifacts and the CLI in local projects.
 */
function isLitter(path: string): boolean {
  const segments = path.split('/');
  if (segments[0] === '.berth' || segments[0] === '__MACOSX') return true;
  return segments.some((segment) => segment.startsWith('._') || segment === '.DS_Store');
}

/** Returns the hex SHA-256 of a tree, whatever the order of its entries. */
function hashTree(marks: ReadonlyMap<string, string>): string {
  const hash = createHash('sha256');
  // Neither paths nor marks contain NUL, so different trees give different input.
  for (const path of [...marks.keys()].sort()) hash.update(`${path}\0${marks.get(path)}\0`);
  return hash.digest('hex');
}

/** Creates a group of tasks of which at most {@link PARALLEL_WRITES} run at a time. */
function createTaskGroup() {
  const running = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  const check = () => {
    if (failure) throw failure.error;
  };
  return {
    /** Adds a running task; resolves when there is room for another. @throws the first failure of a task */
    async add(task: Promise<unknown>): Promise<void> {
      const watched: Promise<void> = task.then(
        () => void running.delete(watched),
        (error: unknown) => {
          running.delete(watched);
          failure ??= { error };
        },
      );
      running.add(watched);
      while (running.size >= PARALLEL_WRITES) await Promise.race(running);
      check();
    },
    /** Resolves when all tasks have ended. @throws the first failure of a task */
    async finish(): Promise<void> {
      await Promise.all(running);
      check();
    },
  };
}
