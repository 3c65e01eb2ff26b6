import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { platform } from 'node:os';
import path from 'node:path';

/**
 * A folder that is held open, so that what is done in it is done in this very folder, whatever becomes of its name:
 * services write to volumes while the server, which may be root, works in them.
 */
export interface OpenFolder extends AsyncDisposable {
  readonly handle: FileHandle;
  /** Names an entry of it, for calls that don't follow a last symlink. */
  at(name: string): string;
}

const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Owner and group; the group's bit that makes what is inside the group's, too, comes from the folder around it. */
const FOLDER_MODE = 0o770;
const SETGID = 0o2000;

/** Never through a last symlink. Undefined when it is not there or is no folder. */
export async function openFolder(folder: string): Promise<OpenFolder | undefined> {
  try {
    const handle = await open(folder, FOLDER_FLAGS);
    // Through the descriptor no part of the way is looked up again. Other systems than Linux can't name it so.
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

/** The folder `parts` below one that is open, which stays open; undefined when the way is not there or no way of folders. */
export function openBelow(folder: OpenFolder, parts: readonly string[]): Promise<OpenFolder | undefined> {
  return descend(folder, parts, (current, part) => openFolder(current.at(part)));
}

/** As {@link openBelow}; what is missing is made, durably. Undefined when something that is no folder is in the way. */
export function makeBelow(folder: OpenFolder, parts: readonly string[]): Promise<OpenFolder | undefined> {
  return descend(folder, parts, async (current, part) => {
    const found = await openFolder(current.at(part));
    if (found) return found;
    return (await makeFolder(current, part)) ? openFolder(current.at(part)) : undefined;
  });
}

/** Each folder is closed once the next one is open, or whatever else comes of it. */
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

/** For a volume's root and what is around it: makes the folders of an absolute path that are missing. */
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
    const made = await open(folder, FOLDER_FLAGS);
    await made.chmod(modes[index] ?? FOLDER_MODE);
    await made.close();
  }
  return folder;
}

/** It is not there, or the way to it is no way of folders. */
export function isAbsence(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error) ?? '');
}

export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}

/** What a new file or folder in `folder` is to be like, so that services that share the folder share it. */
export async function inheritedGroup(folder: OpenFolder): Promise<number | undefined> {
  const { gid, mode } = await folder.handle.stat();
  const canGive = process.getuid?.() === 0;
  return canGive && (mode & SETGID) !== 0 ? gid : undefined;
}

export async function statOf(handle: FileHandle): Promise<BigIntStats> {
  return handle.stat({ bigint: true });
}

/** Paths were checked before they came here; a climb must not come down to that alone. */
export function refuseClimb(part: string): void {
  if (part === '' || part === '.' || part === '..' || part.includes('/')) throw new Error(`"${part}" in a path`);
}

/** False when something is in the way. */
async function makeFolder(parent: OpenFolder, name: string): Promise<boolean> {
  try {
    await mkdir(parent.at(name), FOLDER_MODE);
  } catch (error) {
    // Somebody else may just have made it.
    if (codeOf(error) === 'EEXIST') return true;
    throw error;
  }
  const made = await openFolder(parent.at(name));
  if (!made) return false;
  await using folder = made;
  // The mode of mkdir(2) goes through the umask.
  await folder.handle.chmod(FOLDER_MODE | ((await parent.handle.stat()).mode & SETGID));
  await parent.handle.sync();
  return true;
}
