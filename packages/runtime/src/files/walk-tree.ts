import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readdir } from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';
import { inBatches } from './in-batches.ts';

/** A file, folder or link found by a walk. */
export interface TreeEntry {
  /** Safe to use in calls that don't follow a symlink in the last component (`lchown`, `lstat`, `open` with `O_NOFOLLOW`). */
  readonly path: string;
  readonly stats: Stats;
}

const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Visits a folder and everything below it, each folder before its entries. Entries that vanish meanwhile are skipped. A hostile owner
 * who swaps folders for symlinks meanwhile can't lead the walk elsewhere: on Linux each folder is held open and its entries are named
 * through the descriptor, so no component of a path is looked up twice.
 * @throws what `visit` throws.
 */
export async function walkTree(root: string, visit: (entry: TreeEntry) => Promise<void>): Promise<void> {
  const stats = await lstat(root);
  await visit({ path: root, stats });
  if (stats.isDirectory()) await walkFolder(root, visit);
}

async function walkFolder(path: string, visit: (entry: TreeEntry) => Promise<void>): Promise<void> {
  const folder = await openFolder(path);
  if (!folder) return;
  await using handle = folder;
  await walkOpenFolder(handle, path, visit);
}

/** Visits everything below an open folder, as {@link walkTree} does. `path` is used on systems that can't name it by its descriptor. */
export async function walkOpenFolder(
  handle: FileHandle,
  path: string,
  visit: (entry: TreeEntry) => Promise<void>,
): Promise<void> {
  const base = platform() === 'linux' ? `/proc/self/fd/${handle.fd}` : path;
  const names = await readdir(base);
  const inner: string[] = [];
  await inBatches(names, async (name) => {
    const entry = join(base, name);
    const stats = await lstat(entry).catch(ignoreMissing);
    if (!stats) return;
    await visit({ path: entry, stats });
    if (stats.isDirectory()) inner.push(entry);
  });
  // One folder after another, so that the tree's depth bounds the number of open descriptors.
  for (const entry of inner) await walkFolder(entry, visit);
}

/** Opens a folder without following a symlink in the last component. Returns undefined when there is no folder at `path`. */
export async function openFolder(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, FOLDER_FLAGS);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return undefined;
    throw error;
  }
}

/** For `catch`: returns undefined when a file doesn't exist, and rethrows any other error. */
export function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  return undefined;
}
