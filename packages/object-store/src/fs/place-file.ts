import { type FileHandle, link, rename, unlink } from 'node:fs/promises';
import { createError } from '@berth/contract';
import { codeOf, inheritedGroup, makeBelow, type OpenFolder, statOf } from '@berth/kit/node';
import type { Precondition, PutResult, StoredObject } from '../object-store.ts';
import { lstatOf, splitPath, toStoredObject } from './object-files.ts';

/** Services of the account may read and write uploaded files; no one else may. */
const FILE_MODE = 0o660;

export interface PlaceFileOptions {
  readonly volume: OpenFolder;
  readonly path: string;
  /** Path of the file, on the file system of the volume. It no longer exists when `placeFile` resolves. */
  readonly temporary: string;
  readonly file: FileHandle;
  readonly precondition?: Precondition | undefined;
}

/**
 * Moves a complete file to its path in a volume: first its data is synced to disk, then it gets its name in one step.
 * @throws BerthError `precondition_failed`; `conflict` when the path leads through an object or names a folder.
 */
export async function placeFile(options: PlaceFileOptions): Promise<PutResult> {
  const { volume, path, temporary, file, precondition } = options;
  const { parents, name } = splitPath(path);
  await using folder = await makeBelow(volume, parents);
  if (!folder) throw leadsThrough(path);
  const group = await inheritedGroup(folder);
  if (group !== undefined) await file.chown((await file.stat()).uid, group);
  await file.chmod(FILE_MODE);
  await file.sync();
  const before = await lstatOf(folder, name);
  if (before?.isDirectory()) throw isFolder(path);
  const replaced = before?.isFile() ? toStoredObject(path, before) : undefined;
  if (precondition?.etags && !isOneOf(replaced, precondition.etags)) throw notMet(path);
  if (precondition?.isAbsent) await linkNew(temporary, folder.at(name), path);
  else await rename(temporary, folder.at(name)).catch((error: unknown) => Promise.reject(translate(error, path)));
  await folder.handle.sync();
  return { object: toStoredObject(path, await statOf(file)), replacedBytes: replaced?.sizeBytes };
}

function isOneOf(object: StoredObject | undefined, etags: '*' | readonly string[]): boolean {
  return object !== undefined && (etags === '*' || etags.includes(object.etag));
}

/** link(2) fails when the target exists, without a race. */
async function linkNew(temporary: string, target: string, path: string): Promise<void> {
  try {
    await link(temporary, target);
  } catch (error) {
    throw codeOf(error) === 'EEXIST' ? notMet(path) : error;
  }
  await unlink(temporary);
}

function translate(error: unknown, path: string): unknown {
  return ['EISDIR', 'ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '') ? isFolder(path) : error;
}

/** Returns `conflict`: a part of the path is not a folder. */
export function leadsThrough(path: string) {
  return createError(
    'conflict',
    `"${path}" passes through an object or a link instead of a folder. Choose another path.`,
  );
}

/** Returns `conflict`: an object can't replace a folder. */
export function isFolder(path: string) {
  return createError('conflict', `"${path}" is a folder of the volume. Choose another path.`);
}

/** Returns `precondition_failed`. */
export function notMet(path: string) {
  return createError('precondition_failed', `"${path}" does not meet the request's precondition; nothing was stored.`);
}
