import type { BigIntStats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { createError } from '@berth/contract';
import { isAbsence, makeBelow, type OpenFolder, openBelow, openFolder } from '@berth/kit/node';
import { folderOf, nameOf, partsOf, ROOT, type WorkspacePath } from './workspace-path.ts';

/** A name in an open folder. */
export interface Named {
  readonly folder: OpenFolder;
  /** In the spelling of the disk. */
  readonly name: string;
}

/** An existing file or folder. */
export interface Place extends Named, AsyncDisposable {
  readonly stats: BigIntStats;
}

const NOT_ASCII = /[^\0-\x7f]/;

/**
 * Returns the file or folder at a path below an open folder. Follows no link on the way, and treats a link at the end as missing.
 * Finds names in other Unicode forms than NFC too, because tools write them.
 */
export async function findPlace(root: OpenFolder, path: WorkspacePath): Promise<Place | undefined> {
  if (path === ROOT) return toPlace(await openFolder(root.at('.')), '.');
  return toPlace(await openFolders(root, partsOf(folderOf(path)), openBelow), nameOf(path));
}

/**
 * Opens a folder; creates it and its parents where they are missing.
 * @throws `conflict` when the path leads through a file or a link.
 */
export async function makeFolder(root: OpenFolder, path: WorkspacePath): Promise<OpenFolder> {
  const folder = await openFolders(root, partsOf(path), makeBelow);
  if (folder) return folder;
  throw createError('conflict', `"${path}" is not inside a folder. Choose another path.`);
}

/** Returns the name of `path` in its folder, which is created if missing. @throws as {@link makeFolder} */
export async function makePlace(root: OpenFolder, path: WorkspacePath): Promise<AsyncDisposable & Named> {
  const folder = await makeFolder(root, folderOf(path));
  const name = await spellingIn(folder, nameOf(path));
  return { folder, name, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

async function openFolders(
  root: OpenFolder,
  parts: readonly string[],
  open: typeof openBelow,
): Promise<OpenFolder | undefined> {
  if (!parts.some((part) => NOT_ASCII.test(part))) return open(root, parts);
  let current = await openFolder(root.at('.'));
  for (const part of parts) {
    if (!current) return undefined;
    await using outer: OpenFolder = current;
    current = await open(outer, [await spellingIn(outer, part)]);
  }
  return current;
}

async function toPlace(folder: OpenFolder | undefined, name: string): Promise<Place | undefined> {
  if (!folder) return undefined;
  try {
    const spelled = await spellingIn(folder, name);
    const stats = await lstatIn(folder, spelled);
    if (stats && (stats.isFile() || stats.isDirectory())) {
      return { folder, name: spelled, stats, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
    }
  } catch (error) {
    await folder[Symbol.asyncDispose]();
    throw error;
  }
  await folder[Symbol.asyncDispose]();
  return undefined;
}

async function spellingIn(folder: OpenFolder, name: string): Promise<string> {
  if (!NOT_ASCII.test(name) || (await lstatIn(folder, name))) return name;
  const names = await readdir(folder.at('.'));
  return names.find((one) => one.normalize('NFC') === name) ?? name;
}

/** Returns the stats of an entry; undefined when there is none. */
export async function lstatIn(folder: OpenFolder, name: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(folder.at(name), { bigint: true });
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}
