import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readdir } from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';

/** One file, folder or link that a walk met. */
export interface TreeEntry {
  /** Names the entry safely for calls that don't follow a last symlink (`lchown`, `lstat`, `open` with `O_NOFOLLOW`). */
  readonly path: string;
  readonly stats: Stats;
}

/** Folders worked on at the same time; each holds one descriptor per level of the tree. */
const PARALLEL_ENTRIES = 16;

const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Visits a folder's entries and the folder itself, a folder before what is in it. Safe against a hostile owner who
 * swaps folders for symlinks meanwhile: on Linux each folder is held open and its entries are named through the
 * descriptor, so no component of a path is looked up twice.
 * @throws what `visit` throws; an entry that vanishes meanwhile is passed over.
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

/** As {@link walkTree} below a folder that is open; `path` is its name, for systems that can't name it by its descriptor. */
export async function walkOpenFolder(
  handle: FileHandle,
  path: string,
  visit: (entry: TreeEntry) => Promise<void>,
): Promise<void> {
  const base = platform() === 'linux' ? `/proc/self/fd/${handle.fd}` : path;
  const names = await readdir(base);
  const inner: string[] = [];
  for (let start = 0; start < names.length; start += PARALLEL_ENTRIES) {
    await Promise.all(
      names.slice(start, start + PARALLEL_ENTRIES).map(async (name) => {
        const entry = join(base, name);
        const stats = await lstat(entry).catch(ignoreMissing);
        if (!stats) return;
        await visit({ path: entry, stats });
        if (stats.isDirectory()) inner.push(entry);
      }),
    );
  }
  // One after another: descriptors in use stay as few as the tree is deep.
  for (const entry of inner) await walkFolder(entry, visit);
}

/** Never through a last symlink. Undefined when it is gone or no folder (any more). */
export async function openFolder(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, FOLDER_FLAGS);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return undefined;
    throw error;
  }
}

/** For `catch`: what does not exist is undefined, every other error is thrown on. */
export function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  return undefined;
}
