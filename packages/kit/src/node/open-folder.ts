import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { platform } from 'node:os';
import path from 'node:path';

/**
 * A folder that is held open, so that operations act on this very folder even if its path is renamed or replaced.
 * Services write to volumes while the server, which may run as root, works in them.
 */
export interface OpenFolder extends AsyncDisposable {
  readonly handle: FileHandle;
  /** Returns the path of an entry in this folder, for calls that don't follow a final symlink. */
  at(name: string): string;
}

const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/**
 * Read, write and search for owner and group. New entries take the setgid bit, and with it the group, from the parent
 * folder.
 */
const FOLDER_MODE = 0o770;
const SETGID = 0o2000;

/** Opens a folder without following a final symlink. Returns undefined if it doesn't exist or isn't a folder. */
export async function openFolder(folder: string): Promise<OpenFolder | undefined> {
  try {
    const handle = await open(folder, FOLDER_FLAGS);
    // A path through the descriptor doesn't resolve the folder's path again. Only Linux has such paths.
    const base = platform() === 'linux' ? `/proc/self/fd/${handle.fd}` : folder;
    return {
      handle,
      at: (name) => `${base}/${name}`,
      [Symbol.asyncDispose]: () => handle.close(),
    };
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/**
 * Opens the folder at the path `parts` below `folder`, which stays open. Returns undefined if part of the path is
 * missing or isn't a folder.
 */
export function openBelow(folder: OpenFolder, parts: readonly string[]): Promise<OpenFolder | undefined> {
  return descend(folder, parts, (current, part) => openFolder(current.at(part)));
}

/**
 * Opens the folder like {@link openBelow} and creates missing folders durably. Returns undefined if part of the path
 * exists but isn't a folder.
 */
export function makeBelow(folder: OpenFolder, parts: readonly string[]): Promise<OpenFolder | undefined> {
  return descend(folder, parts, async (current, part) => {
    const found = await openFolder(current.at(part));
    if (found) return found;
    return (await makeFolder(current, part)) ? openFolder(current.at(part)) : undefined;
  });
}

/** Opens each folder in turn and closes it once the next one is open or an error is thrown. */
async function descend(
  folder: OpenFolder,
  parts: readonly string[],
  step: (current: OpenFolder, part: string) => Promise<OpenFolder | undefined>,
): Promise<OpenFolder | undefined> {
  for (const part of parts) refuseClimb(part);
  let current = await openFolder(folder.at('.'));
  for (const part of parts) {
    if (!current) return undefined;
    await using outer: OpenFolder = current;
    current = await step(outer, part);
  }
  return current;
}

/**
 * Creates the missing folders of the path `parts` below `root`, each with its mode, and returns the full path. For a
 * volume's root and the folders around it.
 */
export async function ensureFolders(root: string, parts: readonly string[], modes: readonly number[]): Promise<string> {
  let folder = root;
  for (const [index, part] of parts.entries()) {
    folder = path.join(folder, part);
    const isNew = await mkdir(folder).then(
      () => true,
      (error: unknown) => {
        if (codeOf(error) === 'EEXIST') return false;
        throw error;
      },
    );
    if (!isNew) continue;
    await using made = await open(folder, FOLDER_FLAGS);
    await made.chmod(modes[index] ?? FOLDER_MODE);
  }
  return folder;
}

/** Reports whether an error means that the path is missing or that part of it isn't a folder. */
export function isAbsence(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error) ?? '');
}

/** Returns the `code` of a system error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}

/**
 * Returns the group that new entries of `folder` must get, so that services that share the folder share them; undefined
 * if the group needs no change or the server isn't root.
 */
export async function inheritedGroup(folder: OpenFolder): Promise<number | undefined> {
  const { gid, mode } = await folder.handle.stat();
  const canGive = process.getuid?.() === 0;
  return canGive && (mode & SETGID) !== 0 ? gid : undefined;
}

/** Returns the stats of an open file with BigInt values, so that times have nanosecond precision. */
export async function statOf(handle: FileHandle): Promise<BigIntStats> {
  return handle.stat({ bigint: true });
}

/**
 * Throws if `part` isn't the plain name of an entry. Callers check paths earlier; this is a second line of defense
 * against traversal.
 */
export function refuseClimb(part: string): void {
  if (part === '' || part === '.' || part === '..' || part.includes('/')) throw new Error(`"${part}" in a path`);
}

/** Creates a folder durably; returns false if something that isn't a folder is in its place. */
async function makeFolder(parent: OpenFolder, name: string): Promise<boolean> {
  try {
    await mkdir(parent.at(name), FOLDER_MODE);
  } catch (error) {
    // Another process may have just created the folder.
    if (codeOf(error) === 'EEXIST') return true;
    throw error;
  }
  await using folder = await openFolder(parent.at(name));
  if (!folder) return false;
  // The umask applies to the mode of mkdir(2), so the mode is set explicitly.
  await folder.handle.chmod(FOLDER_MODE | ((await parent.handle.stat()).mode & SETGID));
  await parent.handle.sync();
  return true;
}
